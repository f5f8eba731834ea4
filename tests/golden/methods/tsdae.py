#!/usr/bin/env python3
"""Twenty updates of TSDAE in plain PyTorch: tsdae.json and tsdae.golden.safetensors, which
tuning_golden_test.cpp holds the library to. The decoder is transformers' BertLMHeadModel with its
cross-attention whole, queries and keys included, tied as sentence-transformers ties it; the loss is
what its DenoisingAutoEncoderLoss computes, whose source is quoted below. First weights and deleted
words come from counter_rng.py.

    python tests/golden/methods/tsdae.py
"""

import copy

import torch
import torch.nn.functional as F
from transformers import BertLMHeadModel

import counter_rng
import plain
from golden_file import golden_case, write

SEED = plain.TRAINER["seed"]
DELETION, CROSS_STREAM, HEAD_STREAM = 15, 32, 1
DEFAULTS = {
    **plain.TRAINER,
    "method": "tsdae",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "tsdae.dropout": False,
}


def delete_words(text, ratio, update, row):
    """The words of plain.WORDS have no punctuation."""
    rng, words = counter_rng.Rng(SEED, DELETION, update, row), text.split()
    kept = [word for word in words if rng.uniform() >= ratio]
    if not kept:
        high = rng.next32()
        kept = [
            words[(high << 32 | rng.next32()) * len(words) >> 64]
        ]  # Lemire's method, which with so few words rejects nothing
    return " ".join(kept)


def normal(stream, number, out, width, deviation):
    rng = counter_rng.Rng(SEED, counter_rng.INITIALISE, stream, number)
    return torch.tensor(
        [[deviation * rng.normal() for _ in range(width)] for _ in range(out)], dtype=torch.double
    )


def make_decoder(encoder, tied):
    config = copy.deepcopy(encoder.bert.config)
    config.is_decoder, config.add_cross_attention = True, True
    decoder = BertLMHeadModel(config).double().eval()
    for name, parameter in encoder.bert.named_parameters():
        if name.startswith("pooler."):
            continue
        module_name, _, last = name.rpartition(".")
        setattr(
            decoder.bert.get_submodule(module_name),
            last,
            parameter if tied else torch.nn.Parameter(parameter.detach().clone()),
        )
    decoder.tie_weights()
    hidden, deviation = config.hidden_size, config.initializer_range
    with torch.no_grad():
        for i, layer in enumerate(decoder.bert.encoder.layer):
            cross = layer.crossattention
            cross.self.value.weight.copy_(normal(CROSS_STREAM, 2 * i, hidden, hidden, deviation))
            cross.output.dense.weight.copy_(
                normal(CROSS_STREAM, 2 * i + 1, hidden, hidden, deviation)
            )
            for bias in (cross.self.value.bias, cross.output.dense.bias):
                bias.zero_()
        predictions = decoder.cls.predictions
        predictions.transform.dense.weight.copy_(normal(HEAD_STREAM, 0, hidden, hidden, deviation))
        predictions.transform.dense.bias.zero_()
        predictions.bias.zero_()
    return decoder


def own_parameters(decoder, tied):
    """The trained parameters outside the encoder, by the library's names."""
    found = {}
    for name, parameter in decoder.named_parameters():
        if ".crossattention." in name:
            if ".query." not in name and ".key." not in name:
                found["decoder." + name.removeprefix("bert.encoder.")] = parameter
        elif name.startswith("cls."):
            found["decoder." + name] = parameter
        elif not tied:
            found["decoder." + name.removeprefix("bert.")] = parameter
    return found


def loss_of(encoder, decoder, reps, texts):
    """sentence-transformers: target_length = target_features["input_ids"].shape[1]
    decoder_input_ids = target_features["input_ids"].clone()[:, : target_length - 1] label_ids =
    target_features["input_ids"][:, 1:] decoder_outputs = self.decoder(input_ids=decoder_input_ids,
    attention_mask=None, encoder_hidden_states=reps[:, None],
                                   encoder_attention_mask=source_features["attention_mask"][:, 0:1],
                                       use_cache=False)
    ce_loss_fct = nn.CrossEntropyLoss(ignore_index=self.tokenizer_decoder.pad_token_id)
    """
    ids = encoder.tokenizer(texts, padding=True, return_tensors="pt")["input_ids"]
    mask = torch.ones(len(texts), 1, dtype=torch.long)
    logits = decoder(
        input_ids=ids[:, :-1],
        encoder_hidden_states=reps[:, None],
        encoder_attention_mask=mask,
        use_cache=False,
    ).logits
    return F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]),
        ids[:, 1:].reshape(-1),
        ignore_index=encoder.tokenizer.pad_token_id,
    )


def run(changes, batches):
    config = {**DEFAULTS, **changes}
    encoder = plain.Encoder()
    tied, ratio = (
        config.get("tsdae.tie_encoder_decoder", True),
        config.get("tsdae.noise_ratio", 0.6),
    )
    decoder = make_decoder(encoder, tied)
    trained = {**encoder.trainable(), **own_parameters(decoder, tied)}
    pool = encoder.cls if config.get("tsdae.pooling") == "cls" else encoder.mean

    def loss(step):
        texts = batches[step]["a"]
        reps = F.normalize(
            pool([delete_words(text, ratio, step, row) for row, text in enumerate(texts)]), dim=1
        )  # the model ends in Normalize
        return loss_of(encoder, decoder, reps, texts)

    losses = plain.train(trained, loss, config)
    for layer in decoder.bert.encoder.layer:  # a softmax over one key is 1
        assert all(
            float(p.grad.abs().max()) < 1e-12
            for p in list(layer.crossattention.self.query.parameters())
            + list(layer.crossattention.self.key.parameters())
        )
    return golden_case(config, losses, trained)


def main():
    batches = [{"a": plain.sentences(4000 + i, plain.BATCH)} for i in range(plain.STEPS)]
    cases = {
        "tied": run({}, batches),
        "untied": run({"tsdae.tie_encoder_decoder": False}, batches),
        "cls_of_few_words": run({"tsdae.pooling": "cls", "tsdae.noise_ratio": 0.9}, batches),
    }
    write("tsdae", cases, batches=batches)


if __name__ == "__main__":
    main()
