#!/usr/bin/env python3
"""Twenty updates of SimCSE in plain PyTorch: supervised on pairs and on pairs with hard negatives,
and on single texts whose positive is the same text under another dropout mask: simcse.json and
simcse.golden.safetensors, which tuning_golden_test.cpp holds the library to.

    python tests/golden/methods/simcse.py
"""

import math

import torch
import torch.nn.functional as F

import dropping
import plain
from counter_rng import normal_matrix
from golden_file import golden_case, write

SEED, WIDTH = plain.TRAINER["seed"], 32
DEFAULTS = {
    **plain.TRAINER,
    "method": "simcse",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "simcse.dropout": False,
    "simcse.positives": "pairs",
}


def initial_mlp():
    weight = (
        torch.tensor(normal_matrix(WIDTH, WIDTH, 0.02, SEED, 0))
        .float()
        .double()
        .requires_grad_(True)
    )
    return {
        "mlp.0.weight": weight,
        "mlp.0.bias": torch.zeros(WIDTH, dtype=torch.double, requires_grad=True),
    }


def run(changes, batches, with_negatives):
    config = {**DEFAULTS, **changes}
    encoder = plain.Encoder()
    mlp = {} if config.get("simcse.mlp") == "none" else initial_mlp()
    tau, weight = (
        config.get("simcse.temperature", 0.05),
        config.get("simcse.hard_negative_weight", 1.0),
    )

    def vectors(texts):
        x = encoder.mean(texts) if config.get("simcse.pooling") == "mean" else encoder.cls(texts)
        return torch.tanh(x @ mlp["mlp.0.weight"].T + mlp["mlp.0.bias"]) if mlp else x

    def loss(step):
        batch = batches[step]
        a, b = vectors(batch["a"]), vectors(batch["b"])
        logits = plain.cosines(a, b) / tau
        if with_negatives:
            owners = [i for i, texts in enumerate(batch["negatives"]) for _ in texts]
            hard = (
                plain.cosines(a, vectors([t for texts in batch["negatives"] for t in texts])) / tau
            )
            own = torch.tensor(
                [[float(owner == i) for owner in owners] for i in range(len(a))], dtype=torch.double
            )
            logits = torch.cat([logits, hard + own * math.log(weight)], 1)
        return F.cross_entropy(logits, torch.arange(len(a)))

    trained = {**encoder.trainable(), **mlp}
    return golden_case(
        config, plain.train(trained, loss, config), trained, pairs=True, negatives=with_negatives
    )


def run_on_single_texts(batches):
    config = {**DEFAULTS, "simcse.positives": "dropout", "simcse.dropout": True}
    encoder, mlp = dropping.Encoder(SEED), initial_mlp()

    def loss(step):
        a, b = (
            torch.tanh(
                encoder.cls(batches[step]["a"], step, view) @ mlp["mlp.0.weight"].T
                + mlp["mlp.0.bias"]
            )
            for view in (0, 1)
        )
        return F.cross_entropy(plain.cosines(a, b) / 0.05, torch.arange(len(a)))

    trained = {**encoder.w, **mlp}
    return golden_case(
        config, plain.train(trained, loss, config), trained, pairs=False, negatives=False
    )


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(300 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        negatives = [
            [c[j]] + ([a[j - 1]] if j % 3 == 1 else []) for j in range(plain.BATCH)
        ]  # some have two
        negatives[2] = []  # and one has none
        batches.append({"a": a, "b": b, "negatives": negatives})
    cases = {
        "pairs": run({}, batches, False),
        "triplets": run({"simcse.hard_negative_weight": 2.5}, batches, True),
        "mean-without-mlp": run(
            {"simcse.pooling": "mean", "simcse.mlp": "none", "simcse.temperature": 0.1},
            batches,
            True,
        ),
        "dropout": run_on_single_texts(batches),
    }
    write("simcse", cases, batches=batches)


if __name__ == "__main__":
    main()
