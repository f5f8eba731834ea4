#!/usr/bin/env python3
"""Twenty updates of the triplet loss in plain PyTorch, by each distance: triplet.json and
triplet.golden.safetensors, which tuning_golden_test.cpp holds the library to. The loss is compared
with sentence-transformers' own; its values on random vectors are kept for the test of the
objectives.

    python tests/golden/methods/triplet.py
"""

import torch
import torch.nn.functional as F
from sentence_transformers.sentence_transformer.losses import TripletLoss
from sentence_transformers.sentence_transformer.losses.triplet import TripletDistanceMetric

import plain
from golden_file import golden_case, write

DEFAULTS = {
    **plain.TRAINER,
    "method": "triplet",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "triplet.dropout": False,
}
METRICS = {
    "euclidean": TripletDistanceMetric.EUCLIDEAN,
    "cosine": TripletDistanceMetric.COSINE,
    "manhattan": TripletDistanceMetric.MANHATTAN,
}


def distance(kind, a, b):
    if kind == "cosine":
        return 1 - F.cosine_similarity(a, b)
    return (a - b).abs().sum(1) if kind == "manhattan" else (a - b).square().sum(1).sqrt()


def triplet_loss(kind, margin, anchors, positives, negatives):
    return F.relu(
        distance(kind, anchors, positives) - distance(kind, anchors, negatives) + margin
    ).mean()


def reference():
    torch.manual_seed(4)
    a, p, n = (torch.randn(8, 5) for _ in range(3))
    case = {"anchors": a.tolist(), "positives": p.tolist(), "negatives": n.tolist()}
    for kind, margin in (("euclidean", 0.5), ("cosine", 0.3), ("manhattan", 1.0)):
        theirs = float(
            TripletLoss(None, METRICS[kind], margin).compute_loss_from_embeddings(
                [x.double() for x in (a, p, n)], None
            )
        )
        ours = float(triplet_loss(kind, margin, a.double(), p.double(), n.double()))
        assert abs(ours - theirs) < 1e-6, (kind, ours, theirs)
        case[kind] = {"margin": margin, "loss": theirs}
        print(f"{kind}, as sentence-transformers computes it: {ours:.9f} {theirs:.9f}")
    return case


def run(kind, margin, batches):
    config = {**DEFAULTS, "triplet.distance": kind, "triplet.margin": margin}
    encoder = plain.Encoder()

    def vectors(texts):
        return F.normalize(encoder.mean(texts), dim=1)  # the model ends in a Normalize module

    def loss(step):
        batch = batches[step]
        owners = [i for i, texts in enumerate(batch["negatives"]) for _ in texts]
        negatives = vectors([text for texts in batch["negatives"] for text in texts])
        return triplet_loss(
            kind, margin, vectors(batch["a"])[owners], vectors(batch["b"])[owners], negatives
        )

    trained = encoder.trainable()
    return golden_case(config, plain.train(trained, loss, config), trained)


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(7000 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        negatives = [
            [c[j]] + ([a[j - 1]] if j % 3 == 1 else []) for j in range(plain.BATCH)
        ]  # some have two
        negatives[2] = []  # and one has none
        batches.append({"a": a, "b": b, "negatives": negatives})
    cases = {
        "euclidean": run("euclidean", 5.0, batches),
        "cosine": run("cosine", 0.2, batches),
        "manhattan": run("manhattan", 1.0, batches),
    }
    write("triplet", cases, batches=batches, objectives=reference())


if __name__ == "__main__":
    main()
