#!/usr/bin/env python3
"""Twenty updates of losses on cut vectors in plain PyTorch: multiple negatives ranking, the triplet
loss and distillation: matryoshka.json and matryoshka.golden.safetensors, which
tuning_golden_test.cpp holds the library to. The sum of the losses is compared with
sentence-transformers' MatryoshkaLoss around its MultipleNegativesRankingLoss, TripletLoss and
MSELoss.

    python tests/golden/methods/matryoshka.py
"""

import torch
import torch.nn.functional as F
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import (
    MatryoshkaLoss,
    MSELoss,
    MultipleNegativesRankingLoss,
    TripletLoss,
)

import plain
from golden_file import golden_case, write

WIDTH = 32
TEACHER = plain.MODEL.parents[1] / "models" / "bert_st"


def cut(x, dim):
    return F.normalize(x[:, :dim], dim=1)


def ranking(vectors, dim):
    a, b, negatives = (cut(v, dim) for v in vectors)
    return F.cross_entropy(20 * a @ torch.cat([b, negatives]).T, torch.arange(len(a)))


def triplet(vectors, dim, margin=0.5):
    a, b, negatives = (cut(v, dim) for v in vectors)
    return F.relu((a - b).norm(dim=1) - (a - negatives).norm(dim=1) + margin).mean()


def imitation(vectors, dim, taught):
    """The teacher's vectors are cut too, and keep their length."""
    own = torch.cat([cut(v, dim) for v in vectors[:2]])
    return (own - torch.cat([taught, taught])[:, :dim]).square().mean()


def weighted(loss, vectors, dims, weights, *more):
    return sum(weight * loss(vectors, dim, *more) for dim, weight in zip(dims, weights))


def compare_with_sentence_transformers(batch):
    model = SentenceTransformer(str(plain.MODEL), device="cpu").double().eval()
    encoder = plain.Encoder()
    texts = [batch["a"], batch["b"], [n[0] for n in batch["negatives"]]]
    dims, weights = [32, 20, 8], [1.0, 0.5, 2.0]
    with torch.no_grad():
        vectors = [encoder.mean(column) for column in texts]
        taught = torch.tensor(model.encode(texts[0])).double()
        for name, loss, columns, labels, ours in (
            (
                "MultipleNegativesRankingLoss",
                MultipleNegativesRankingLoss(model, scale=20.0),
                3,
                None,
                weighted(ranking, vectors, dims, weights),
            ),
            (
                "TripletLoss",
                TripletLoss(model, triplet_margin=0.5),
                3,
                None,
                weighted(triplet, vectors, dims, weights),
            ),
            (
                "MSELoss",
                MSELoss(model),
                2,
                taught,
                weighted(imitation, vectors, dims, weights, taught),
            ),
        ):
            theirs = MatryoshkaLoss(model, loss, dims, weights)(
                [model.tokenize(column) for column in texts[:columns]], labels
            )
            assert abs(ours - theirs) < 1e-8, (name, ours, theirs)
            print(f"as MatryoshkaLoss computes it around {name}: {ours:.9f} {theirs:.9f}")


def run(method, changes, batches):
    config = {
        **plain.TRAINER,
        "method": method,
        "optimizer": "adamw",
        "betas": ["0.9", "0.999"],
        "eps": 1e-6,
        f"{method}.dropout": False,
        **changes,
    }
    encoder, dims = plain.Encoder(), config["matryoshka.dims"]
    weights = config.get("matryoshka.weights", [1.0] * len(dims))
    teacher = SentenceTransformer(str(TEACHER), device="cpu").double().eval()

    def loss(step):
        batch = batches[step]
        vectors = [
            encoder.mean(column)
            for column in (batch["a"], batch["b"], [n[0] for n in batch["negatives"]])
        ]
        if method == "distill":
            return weighted(
                imitation, vectors, dims, weights, torch.tensor(teacher.encode(batch["a"])).double()
            )
        return weighted(ranking if method == "mnrl" else triplet, vectors, dims, weights)

    trained = encoder.trainable()
    return golden_case(config, plain.train(trained, loss, config), trained, method=method)


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(13000 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        batches.append({"a": a, "b": b, "negatives": [[text] for text in c]})
    compare_with_sentence_transformers(batches[0])
    cases = {
        "mnrl": run(
            "mnrl",
            {"matryoshka.dims": [32, 16, 8], "matryoshka.weights": [1.0, 0.5, 0.25]},
            batches,
        ),
        "triplet": run("triplet", {"triplet.margin": 0.5, "matryoshka.dims": [32, 12]}, batches),
        "distill": run(
            "distill", {"distill.teacher": TEACHER.name, "matryoshka.dims": [32, 16]}, batches
        ),
    }
    write("matryoshka", cases, batches=batches)


if __name__ == "__main__":
    main()
