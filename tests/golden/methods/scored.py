#!/usr/bin/env python3
"""Twenty updates of pairs with scores in plain PyTorch, by CoSENT, AnglE and the squared error of
the cosine: scored.json and scored.golden.safetensors, which tuning_golden_test.cpp holds the
library to. The losses are written out from their definitions and compared with
sentence-transformers' own; the values of both on random vectors are kept for the test of the
objectives.

    python tests/golden/methods/scored.py
"""

import random

import torch
import torch.nn.functional as F
from sentence_transformers.sentence_transformer.losses import (
    AnglELoss,
    CosineSimilarityLoss,
    CoSENTLoss,
)

import plain
from golden_file import golden_case, write

DEFAULTS = {
    **plain.TRAINER,
    "method": "scored",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "scored.dropout": False,
}


def angles(a, b):
    """AnglE's similarity by complex numbers: vectors are halves, real and imaginary."""
    a, b = (F.pad(F.normalize(x, dim=1), (0, x.shape[1] % 2)) for x in (a, b))
    half = a.shape[1] // 2
    x, y = torch.complex(a[:, :half], a[:, half:]), torch.complex(b[:, :half], b[:, half:])
    product = (x * y.conj()).sum(1)
    return (product.real + product.imag).abs()


def cosent(similarities, scores, scale):
    terms = [torch.zeros((), dtype=similarities.dtype)]
    for i in range(len(scores)):
        terms += [
            scale * (similarities[i] - similarities[j])
            for j in range(len(scores))
            if scores[i] < scores[j]
        ]
    return torch.logsumexp(torch.stack(terms), 0)


def loss_of(kind, a, b, scores, scale=20.0, max_score=1.0):
    if kind == "mse":
        return F.mse_loss(F.cosine_similarity(a, b), scores / max_score)
    return cosent(F.cosine_similarity(a, b) if kind == "cosent" else angles(a, b), scores, scale)


def reference():
    """Random vectors, also of an odd width, and scores of which some are equal."""
    torch.manual_seed(3)
    found = []
    for width in (6, 7):
        a, b = torch.randn(8, width), torch.randn(8, width)
        scores = torch.tensor([0.0, 0.5, 0.25, 0.5, -1.0, 1.0, 0.25, 0.0])
        case = {"a": a.tolist(), "b": b.tolist(), "scores": scores.tolist()}
        for kind, loss in (
            ("cosent", CoSENTLoss(None)),
            ("angle", AnglELoss(None)),
            ("mse", CosineSimilarityLoss(None)),
        ):
            theirs = float(loss.compute_loss_from_embeddings([a.double(), b.double()], scores))
            ours = float(loss_of(kind, a.double(), b.double(), scores.double()))
            assert abs(ours - theirs) < 1e-6, (kind, ours, theirs)
            case[kind] = theirs
            print(
                f"{kind}, width {width}, as sentence-transformers computes it: {ours:.9f} "
                f"{theirs:.9f}"
            )
        found.append(case)
    return found


def run(kind, changes, batches):
    config = {**DEFAULTS, "scored.loss": kind, **changes}
    encoder = plain.Encoder()

    def loss(step):
        batch = batches[step]
        scores = torch.tensor(batch["scores"], dtype=torch.double)
        return loss_of(
            kind,
            encoder.mean(batch["a"]),
            encoder.mean(batch["b"]),
            scores,
            config.get("scored.scale", 20.0),
            config.get("scored.max_score", 1.0),
        )

    trained = encoder.trainable()
    return golden_case(config, plain.train(trained, loss, config), trained)


def main():
    batches = []
    for i in range(plain.STEPS):
        rng = random.Random(i)
        a, b = (plain.sentences(9000 + 10 * k + 100 * i, plain.BATCH) for k in range(2))
        batches.append(
            {"a": a, "b": b, "scores": [rng.randint(0, 10) / 2 for _ in range(plain.BATCH)]}
        )
    cases = {
        "cosent": run("cosent", {}, batches),
        "angle": run("angle", {"scored.scale": 10.0}, batches),
        "mse": run("mse", {"scored.max_score": 5.0}, batches),
    }
    write("scored", cases, batches=batches, objectives=reference())


if __name__ == "__main__":
    main()
