#!/usr/bin/env python3
"""Twenty updates of MultipleNegativesRanking in plain PyTorch, with and without a dense module behind the pooling: mnrl.json and
mnrl.golden.safetensors, which tuning_golden_test.cpp holds the library to. Before that the loss itself is compared with sentence-transformers' own, in
both its forms.

    python tests/golden/methods/mnrl.py
"""
import torch
import torch.nn.functional as F
from sentence_transformers import SentenceTransformer
from sentence_transformers.losses import MultipleNegativesRankingLoss, MultipleNegativesSymmetricRankingLoss

import plain
from counter_rng import normal_matrix
from golden_file import golden_case, write

WIDTH = 12
DEFAULTS = {**plain.TRAINER, "method": "mnrl", "optimizer": "adamw", "betas": ["0.9", "0.999"], "eps": 1e-6, "mnrl.dropout": False}


def ranking_loss(a, b, negatives, scale, similarity="cosine", symmetric=False):
    candidates = torch.cat([b, negatives]) if len(negatives) else b
    scores = scale * (plain.cosines(a, candidates) if similarity == "cosine" else a @ candidates.T)
    labels = torch.arange(len(a))
    forward = F.cross_entropy(scores, labels)
    return (forward + F.cross_entropy(scores[:, : len(a)].T, labels)) / 2 if symmetric else forward


def compare_with_sentence_transformers(batch):
    model = SentenceTransformer(str(plain.MODEL)).double().eval()
    encoder = plain.Encoder()
    texts = [batch["a"], batch["b"], [n[0] for n in batch["negatives"]]]
    features = [model.tokenize(column) for column in texts]
    with torch.no_grad():
        a, b, negatives = (encoder.mean(column) for column in texts)
        ours, theirs = ranking_loss(a, b, negatives, 20), MultipleNegativesRankingLoss(model, scale=20.0)(features, None)
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as sentence-transformers computes it, with hard negatives: {ours:.9f} {theirs:.9f}")
        ours, theirs = ranking_loss(a, b, [], 20, symmetric=True), MultipleNegativesSymmetricRankingLoss(model, scale=20.0)(features[:2], None)
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as sentence-transformers computes it, in both directions: {ours:.9f} {theirs:.9f}")


def run(changes, batches, with_negatives, with_dense):
    config = {**DEFAULTS, **changes}
    encoder, dense, extra = plain.Encoder(), {}, {"negatives": with_negatives}
    if with_dense:
        first = torch.tensor(normal_matrix(WIDTH, 32, 0.3, 1, 7)).float()
        extra["dense"] = {"weight": first.tolist(), "bias": [0.125 * (i % 3 - 1) for i in range(WIDTH)]}
        dense = {"dense.0.weight": first.double().requires_grad_(True),
                 "dense.0.bias": torch.tensor(extra["dense"]["bias"], dtype=torch.double, requires_grad=True)}

    def vectors(texts):
        x = encoder.mean(texts)
        if dense:
            x = torch.tanh(x @ dense["dense.0.weight"].T + dense["dense.0.bias"])
        return F.normalize(x, dim=1)  # the model ends in a Normalize module

    def loss(step):
        batch = batches[step]
        negatives = vectors([t for texts in batch["negatives"] for t in texts]) if with_negatives else []
        return ranking_loss(vectors(batch["a"]), vectors(batch["b"]), negatives, config.get("mnrl.scale", 20.0),
                            config.get("mnrl.similarity", "cosine"), config.get("mnrl.symmetric", False))

    trained = {**encoder.trainable(), **dense}
    return golden_case(config, plain.train(trained, loss, config), trained, **extra)


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(5000 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        batches.append({"a": a, "b": b, "negatives": [[text] for text in c]})
    compare_with_sentence_transformers(batches[0])
    cases = {
        "pairs": run({}, batches, False, False),
        "hard-negatives": run({}, batches, True, False),
        "symmetric": run({"mnrl.symmetric": True, "mnrl.scale": 10.0}, batches, False, False),
        "dense": run({"mnrl.similarity": "dot", "mnrl.scale": 15.0}, batches, True, True),
    }
    write("mnrl", cases, batches=batches)


if __name__ == "__main__":
    main()
