#!/usr/bin/env python3
"""Tiny random checkpoints of every family of encoders that transformers has a class for, with what
the class computes on them.

    make.py OUT [NAME...]     writes OUT/NAME/{config.json, model.safetensors, vocab.txt,
                              golden.json} for each of MODELS, or for those that are named;
                              tests/fixtures/families is such a folder

golden.json: "texts", for each its ids and the last hidden state of its first token, its last token
and the mean over its tokens; "gradients", for each tensor of the file the product with a fixed
pattern and the length of the gradient of a loss: the sum over texts of mean . pattern. vocab.txt is
of a toy: letters and digits. Wants transformers 5.23 and torch 2.11. compare.sh makes them again
and runs the library's tests on them.
"""

import json
import os
import sys
import tempfile

import torch
import transformers as t
from safetensors.torch import load_file

TEXTS = [
    [2, 7, 11, 5, 3],
    [2, 9, 3],
    [2] + [4 + (i * 7) % 40 for i in range(30)] + [3],
    [2] + [4 + (i * 13) % 40 for i in range(118)] + [3],
]
SIZES = dict(
    vocab_size=63, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24
)
DECODER = dict(
    SIZES, num_key_value_heads=1, head_dim=12, max_position_embeddings=256, pad_token_id=0
)
ROBERTA = dict(
    SIZES, max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5
)
SPECIAL = dict(pad_token_id=1, bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3)

MODELS = {
    "bert": (t.BertModel, t.BertConfig(**SIZES, max_position_embeddings=128)),
    "roberta": (t.RobertaModel, t.RobertaConfig(**ROBERTA)),
    "xlm_roberta": (t.XLMRobertaModel, t.XLMRobertaConfig(**ROBERTA)),
    "camembert": (t.CamembertModel, t.CamembertConfig(**ROBERTA)),
    "mpnet": (
        t.MPNetModel,
        t.MPNetConfig(**SIZES, max_position_embeddings=130, layer_norm_eps=1e-5),
    ),
    "distilbert": (
        t.DistilBertModel,
        t.DistilBertConfig(
            vocab_size=63, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=128
        ),
    ),
    "electra": (
        t.ElectraModel,
        t.ElectraConfig(**SIZES, embedding_size=8, max_position_embeddings=128),
    ),
    "electra_wide": (
        t.ElectraModel,
        t.ElectraConfig(**SIZES, embedding_size=16, max_position_embeddings=128),
    ),
    "albert": (
        t.AlbertModel,
        t.AlbertConfig(
            **dict(SIZES, num_hidden_layers=3), embedding_size=8, max_position_embeddings=128
        ),
    ),
    "albert_groups": (
        t.AlbertModel,
        t.AlbertConfig(
            **dict(SIZES, num_hidden_layers=4),
            embedding_size=8,
            max_position_embeddings=128,
            num_hidden_groups=2,
            inner_group_num=2,
        ),
    ),
    "ernie": (t.ErnieModel, t.ErnieConfig(**SIZES, max_position_embeddings=128)),
    "nomic_bert": (
        t.NomicBertModel,
        t.NomicBertConfig(
            **SIZES,
            pad_token_id=0,
            max_position_embeddings=256,
            rope_parameters={"rope_type": "default", "rope_theta": 1000.0},
        ),
    ),
    "gte": (
        t.GteModel,
        t.GteConfig(
            **SIZES,
            pad_token_id=0,
            type_vocab_size=1,
            rope_parameters={"rope_type": "default", "rope_theta": 160000.0},
        ),
    ),
    "gte_no_types": (
        t.GteModel,
        t.GteConfig(
            **SIZES,
            pad_token_id=0,
            type_vocab_size=0,
            rope_parameters={"rope_type": "default", "rope_theta": 160000.0},
        ),
    ),
    "modernbert": (
        t.ModernBertModel,
        t.ModernBertConfig(**dict(SIZES, num_hidden_layers=4), local_attention=16, **SPECIAL),
    ),
    "modernbert_biases": (
        t.ModernBertModel,
        t.ModernBertConfig(
            **dict(SIZES, num_hidden_layers=4),
            local_attention=16,
            norm_bias=True,
            attention_bias=True,
            mlp_bias=True,
            **SPECIAL,
        ),
    ),
    "qwen3": (
        t.Qwen3Model,
        t.Qwen3Config(**DECODER, rope_parameters={"rope_type": "default", "rope_theta": 1e6}),
    ),
    "gemma3": (
        t.Gemma3TextModel,
        t.Gemma3TextConfig(
            **dict(DECODER, num_hidden_layers=6),
            query_pre_attn_scalar=16,
            sliding_window=16,
            use_bidirectional_attention=True,
        ),
    ),
    "gemma3_causal": (
        t.Gemma3TextModel,
        t.Gemma3TextConfig(
            **dict(DECODER, num_hidden_layers=6), query_pre_attn_scalar=16, sliding_window=16
        ),
    ),
    "t5": (
        t.T5EncoderModel,
        t.T5Config(
            vocab_size=63,
            d_model=16,
            d_kv=6,
            d_ff=24,
            num_layers=2,
            num_heads=2,
            relative_attention_num_buckets=16,
            relative_attention_max_distance=48,
        ),
    ),
    "t5_gated": (
        t.T5EncoderModel,
        t.T5Config(
            vocab_size=63,
            d_model=16,
            d_kv=8,
            d_ff=24,
            num_layers=2,
            num_heads=2,
            feed_forward_proj="gated-gelu",
        ),
    ),
}


def write_vocabulary(config, out):
    words = ["[PAD]", "[UNK]"] if config.pad_token_id == 0 else ["[UNK]", "[PAD]"]
    words += (
        ["[CLS]", "[SEP]", "[MASK]"]
        + [chr(c) for c in range(ord("a"), ord("z") + 1)]
        + list("0123456789")
        + ["##" + c for c in "0123456789abdehilnorst"]
    )
    assert len(words) == config.vocab_size
    with open(out + "/vocab.txt", "w") as file:
        file.write("\n".join(words) + "\n")


def pattern(count):
    return torch.cos(0.37 * torch.arange(count, dtype=torch.float64))


def saved(model):
    """The tensors of the file that save_pretrained writes, whose names may be other than the
    model's."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return load_file(os.path.join(folder, "model.safetensors"))


def make(kind, config, out):
    torch.manual_seed(1)
    model = kind(config)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p + torch.randn_like(p) * (0.05 if p.dim() == 1 else 0.2))
    model.eval()
    model.save_pretrained(out)
    write_vocabulary(config, out)
    texts, loss = [], 0
    # The last text has the padding token inside, as a text that spells it out: RoBERTa's kin give
    # it no place of its own.
    for ids in TEXTS + [[2, 7, config.pad_token_id, 11, config.pad_token_id, 5, 3]]:
        states = model(
            input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long)
        ).last_hidden_state[0]
        mean = states.mean(0)
        loss = loss + (mean * pattern(len(mean)).float()).sum()
        texts.append(
            {
                "ids": ids,
                "first": states[0].tolist(),
                "last": states[-1].tolist(),
                "mean": mean.tolist(),
            }
        )
    loss.backward()
    with torch.no_grad():  # the gradients, renamed as the file renames the weights
        for p in model.parameters():
            p.copy_(torch.zeros_like(p) if p.grad is None else p.grad)
    gradients = {}
    for name, gradient in saved(model).items():
        flat = gradient.double().flatten()
        gradients[name] = [(flat * pattern(len(flat))).sum().item(), flat.norm().item()]
    if os.path.exists(out + "/generation_config.json"):
        os.remove(out + "/generation_config.json")
    with open(out + "/golden.json", "w") as file:
        rounded = json.loads(
            json.dumps({"texts": texts, "gradients": gradients}),
            parse_float=lambda x: float(f"{float(x):.7g}"),
        )
        json.dump(rounded, file, separators=(",", ":"))
        file.write("\n")


def main():
    if len(sys.argv) < 2 or not MODELS.keys() >= set(sys.argv[2:]):
        sys.exit(__doc__)
    for name in sys.argv[2:] or MODELS:
        kind, config = MODELS[name]
        make(kind, config, os.path.join(sys.argv[1], name))
        print(
            name,
            sum(
                os.path.getsize(os.path.join(sys.argv[1], name, f))
                for f in os.listdir(os.path.join(sys.argv[1], name))
            ),
            "bytes",
        )


if __name__ == "__main__":
    main()
