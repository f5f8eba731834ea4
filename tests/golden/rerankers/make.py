#!/usr/bin/env python3
"""Tiny random rerankers of every family whose ...ForSequenceClassification is read, with the scores
that sentence-transformers' CrossEncoder gives them.

    make.py OUT [NAME...]     writes OUT/NAME/{config.json, model.safetensors, tokenizer.json,
                              tokenizer_config.json, golden.json} for each of MODELS, or
                              for those that are named; tests/fixtures/rerankers is such a folder

golden.json: "pairs"; "ids" and "type_ids" of each as the tokenizer cuts them; "scores" of
CrossEncoder.predict, a row of labels a pair; "logits" of the same with activation_fn = Identity;
"labels"; and for a model of several labels "softmax". The tokenizer is a WordPiece of letters and
digits, with the template of BERT or of RoBERTa. "saved" lies in the layout of
CrossEncoder.save_pretrained (modules.json, config_sentence_transformers.json), with a prompt; "old"
states its activation as versions before 4.0 did. Wants transformers 5.23, sentence-transformers 6.2
and torch 2.11.
"""

import json
import os
import shutil
import sys
import tempfile

import torch
import transformers as t
from sentence_transformers import CrossEncoder
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

QUERIES = [
    "the sun is in the sea",
    "no one here has a stone, or an oar, or a sail",
    "",
    "is 7 odd?",
]
DOCUMENTS = [
    "a hare ran!",
    "trees",
    "the sea shone and the sun set in it, as one does in late autumn "
    "here, and no one saw the stone " * 3,
    "7 is odd, 8 is not; the sum of 7 and 8 is 15",
    "",
]
LENGTH = 48  # of a pair, so that the long document is cut

SIZES = dict(
    vocab_size=63, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24
)
ROBERTA = dict(
    SIZES, max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5
)
SPECIAL = dict(pad_token_id=1, bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3)
ROPE = {"rope_type": "default", "rope_theta": 160000.0}
ONE, THREE = dict(num_labels=1), dict(id2label={0: "contradiction", 1: "entailment", 2: "neutral"})

MODELS = {  # class, config, template
    "bert": (
        t.BertForSequenceClassification,
        t.BertConfig(**SIZES, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "old": (
        t.BertForSequenceClassification,
        t.BertConfig(**SIZES, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "saved": (
        t.BertForSequenceClassification,
        t.BertConfig(**SIZES, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "bert_labels": (
        t.BertForSequenceClassification,
        t.BertConfig(**SIZES, max_position_embeddings=128, **THREE),
        "bert",
    ),
    "roberta": (t.RobertaForSequenceClassification, t.RobertaConfig(**ROBERTA, **ONE), "roberta"),
    "xlm_roberta": (
        t.XLMRobertaForSequenceClassification,
        t.XLMRobertaConfig(**ROBERTA, **ONE),
        "roberta",
    ),
    "camembert": (t.CamembertForSequenceClassification, t.CamembertConfig(**ROBERTA), "roberta"),
    "mpnet": (
        t.MPNetForSequenceClassification,
        t.MPNetConfig(**SIZES, max_position_embeddings=130, layer_norm_eps=1e-5, **ONE),
        "roberta",
    ),
    "distilbert": (
        t.DistilBertForSequenceClassification,
        t.DistilBertConfig(
            vocab_size=63,
            dim=16,
            n_layers=2,
            n_heads=2,
            hidden_dim=24,
            max_position_embeddings=128,
            **ONE,
        ),
        "bert",
    ),
    "electra": (
        t.ElectraForSequenceClassification,
        t.ElectraConfig(**SIZES, embedding_size=16, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "albert": (
        t.AlbertForSequenceClassification,
        t.AlbertConfig(**SIZES, embedding_size=8, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "ernie": (
        t.ErnieForSequenceClassification,
        t.ErnieConfig(**SIZES, max_position_embeddings=128, **ONE),
        "bert",
    ),
    "gte": (
        t.GteForSequenceClassification,
        t.GteConfig(**SIZES, pad_token_id=0, type_vocab_size=1, rope_parameters=ROPE, **ONE),
        "roberta",
    ),
    "modernbert": (
        t.ModernBertForSequenceClassification,
        t.ModernBertConfig(
            **dict(SIZES, num_hidden_layers=4),
            local_attention=16,
            classifier_pooling="cls",
            **SPECIAL,
            **ONE,
        ),
        "bert",
    ),
    "modernbert_mean": (
        t.ModernBertForSequenceClassification,
        t.ModernBertConfig(
            **dict(SIZES, num_hidden_layers=4),
            local_attention=16,
            classifier_pooling="mean",
            classifier_bias=True,
            norm_bias=True,
            **SPECIAL,
            **THREE,
        ),
        "bert",
    ),
    # The template types the second text, and the encoder is handed none: model_input_names leaves
    # types out, or says nothing and the class has none.
    "types_left_out": (
        t.RobertaForSequenceClassification,
        t.RobertaConfig(**ROBERTA, **ONE),
        "bert",
    ),
    "types_of_no_class": (
        t.BertForSequenceClassification,
        t.BertConfig(**SIZES, max_position_embeddings=128, **ONE),
        "bert",
    ),
}
WITHOUT_TYPES = ("mpnet", "distilbert", "modernbert", "types_left_out")


def tokenizer(config, template, name):
    words = ["[PAD]", "[UNK]"] if config.pad_token_id == 0 else ["[UNK]", "[PAD]"]
    words += (
        ["[CLS]", "[SEP]", "[MASK]"]
        + [chr(c) for c in range(ord("a"), ord("z") + 1)]
        + list("0123456789")
        + ["##" + c for c in "0123456789abdehilnorst"]
    )
    made = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pair = (
        "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
        if template == "bert"
        else "[CLS]:0 $A:0 [SEP]:0 [SEP]:0 $B:0 [SEP]:0"
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair=pair, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    inputs = (
        ["input_ids", "attention_mask"]
        if name.startswith(WITHOUT_TYPES)
        else ["input_ids", "token_type_ids", "attention_mask"]
    )
    return t.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=LENGTH,
        model_input_names=inputs,
    )


def change(path, **keys):
    with open(path) as file:
        config = json.load(file)
    with open(path, "w") as file:
        json.dump(
            {
                key: value
                for key, value in {**config, **keys}.items()
                if value is not None or key not in keys
            },
            file,
            indent=2,
        )
        file.write("\n")


def make(name, out):
    kind, config, template = MODELS[name]
    torch.manual_seed(1)
    model = kind(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(
                parameter + torch.randn_like(parameter) * (0.1 if parameter.dim() == 1 else 0.3)
            )
    shutil.rmtree(out, ignore_errors=True)
    model.eval().save_pretrained(out)
    tokenizer(config, template, name).save_pretrained(out)
    if name == "types_of_no_class":
        change(out + "/tokenizer_config.json", model_input_names=None)
    if name == "old":
        change(
            out + "/config.json",
            sbert_ce_default_activation_function="torch.nn.modules.linear.Identity",
        )
    if name == "roberta":
        change(
            out + "/config.json",
            sentence_transformers={
                "activation_fn": "torch.nn.modules.linear.Identity",
                "version": "4.1.0",
            },
        )
    reranker = CrossEncoder(out, device="cpu", local_files_only=True)
    if name == "saved":
        reranker.prompts, reranker.default_prompt_name = {"ask": "who: "}, "ask"
        with tempfile.TemporaryDirectory() as folder:
            reranker.save_pretrained(folder, create_model_card=False)
            shutil.rmtree(out)
            shutil.copytree(folder, out)
        reranker = CrossEncoder(out, device="cpu", local_files_only=True)
    pairs = [[query, document] for query in QUERIES for document in DOCUMENTS]
    rows = lambda scores: [row if isinstance(row, list) else [row] for row in scores.tolist()]
    cut = reranker.tokenizer(
        [q for q, _ in pairs], [d for _, d in pairs], truncation="longest_first"
    )
    types = (
        cut["token_type_ids"]
        if "token_type_ids" in cut
        else [[0] * len(ids) for ids in cut["input_ids"]]
    )
    golden = {
        "pairs": pairs,
        "ids": cut["input_ids"],
        "type_ids": types,
        "scores": rows(reranker.predict(pairs)),
        "logits": rows(reranker.predict(pairs, activation_fn=torch.nn.Identity())),
        "labels": [config.id2label[i] for i in range(config.num_labels)],
    }
    if config.num_labels > 1:
        golden["softmax"] = rows(reranker.predict(pairs, apply_softmax=True))
    with open(out + "/golden.json", "w") as file:
        json.dump(
            json.loads(json.dumps(golden), parse_float=lambda x: float(f"{float(x):.8g}")),
            file,
            separators=(",", ":"),
        )
        file.write("\n")


def main():
    if len(sys.argv) < 2 or not MODELS.keys() >= set(sys.argv[2:]):
        sys.exit(__doc__)
    for name in sys.argv[2:] or MODELS:
        out = os.path.join(sys.argv[1], name)
        make(name, out)
        scores = [x for row in json.load(open(out + "/golden.json"))["scores"] for x in row]
        print(
            name,
            sorted(os.listdir(out)),
            sum(os.path.getsize(os.path.join(out, f)) for f in os.listdir(out)),
            "bytes; scores",
            min(scores),
            max(scores),
        )


if __name__ == "__main__":
    main()
