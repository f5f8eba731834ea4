#!/usr/bin/env python3
"""Twenty updates of distillation in plain PyTorch: vectors, translations, margins of a teacher, of
a reranker and of the data, scores, and a student behind a projection: distill.json and
distill.golden.safetensors, which tuning_golden_test.cpp holds the library to. Before that the
losses themselves are compared with sentence-transformers' MSELoss, MarginMSELoss and
DistillKLDivLoss; values on random scores are kept for the test of the objectives.

    python tests/golden/methods/distill.py
"""

import torch
import torch.nn.functional as F
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer.losses import (
    DistillKLDivLoss,
    MarginMSELoss,
    MSELoss,
)

import plain
from counter_rng import normal_matrix
from golden_file import golden_case, write

# The start model itself has the student's dimension; the other one has fewer, for scores and the
# projection.
SAME, OTHER, RERANKER = "models/bert_st", "models/bert_st_old", "rerankers/bert"
FIXTURES = plain.MODEL.parents[1]
WIDTH, OTHER_WIDTH = 32, 12
DEFAULTS = {
    **plain.TRAINER,
    "method": "distill",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "distill.dropout": False,
}


def taught(model, texts):
    return torch.tensor(
        model.encode(texts)
    ).double()  # with the default prompt, where the model has one


def teacher(name):
    return SentenceTransformer(str(FIXTURES / name), device="cpu").double().eval()


def logits(reranker, pairs):
    return (
        torch.tensor(reranker.predict(pairs, activation_fn=torch.nn.Identity())).double().flatten()
    )


def margin_loss(own, margins):
    return ((own["positives"] - own["negatives"]) - margins).square().mean()


def score_loss(own, of_teacher, temperature):
    rows = lambda s: torch.log_softmax(
        torch.stack([s["positives"], s["negatives"]], dim=1) / temperature, dim=1
    )
    student, wanted = rows(own), rows(of_teacher)
    return (wanted.exp() * (wanted - student)).sum(1).mean() * temperature**2


def compare_with_sentence_transformers(batch):
    model, other = teacher(SAME), teacher(OTHER)
    encoder = plain.Encoder()
    texts = [batch["a"], batch["b"], [n[0] for n in batch["negatives"]]]
    with torch.no_grad():
        columns = [F.normalize(encoder.mean(column), dim=1) for column in texts]
        of_other = [taught(other, column) for column in texts]
        labels = F.normalize(torch.randn(len(batch["a"]), WIDTH, dtype=torch.double), dim=1)
        ours, theirs = (
            (torch.cat(columns[:2]) - torch.cat([labels, labels])).square().mean(),
            MSELoss(model)([model.tokenize(t) for t in texts[:2]], labels),
        )
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as MSELoss computes it, of two columns: {ours:.9f} {theirs:.9f}")
        scores = lambda vectors: {
            "positives": (vectors[0] * vectors[1]).sum(1),
            "negatives": (vectors[0] * vectors[2]).sum(1),
        }
        own, wanted = scores(columns), scores(of_other)
        ours, theirs = (
            margin_loss(own, wanted["positives"] - wanted["negatives"]),
            MarginMSELoss(model).compute_loss_from_embeddings(
                columns, wanted["positives"] - wanted["negatives"]
            ),
        )
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
        print(f"as MarginMSELoss computes it: {ours:.9f} {theirs:.9f}")
        for temperature in (1.0, 2.0):
            ours = score_loss(own, wanted, temperature)
            theirs = DistillKLDivLoss(model, temperature=temperature).compute_loss_from_embeddings(
                columns, torch.stack([wanted["positives"], wanted["negatives"]], dim=1)
            )
            assert abs(ours - theirs) < 1e-9, (temperature, ours, theirs)
            print(
                f"as DistillKLDivLoss computes it, temperature {temperature}: {ours:.9f} "
                f"{theirs:.9f}"
            )


def reference():
    """Random scores of 4 pairs with 3 negatives each, in the library's order: those of a pair stand
    together."""
    torch.manual_seed(9)
    n, k, width = 4, 3, 5
    student, of_teacher = (
        [torch.randn(n, width, dtype=torch.double) for _ in range(2 + k)] for _ in range(2)
    )
    scores = lambda vectors: torch.stack([(vectors[0] * v).sum(1) for v in vectors[1:]], dim=1)
    own, wanted = scores(student), scores(of_teacher)
    found = {"owners": [i for i in range(n) for _ in range(k)]}
    for name, rows in (("student", own), ("teacher", wanted)):
        found[f"{name}_positives"], found[f"{name}_negatives"] = (
            rows[:, 0].tolist(),
            rows[:, 1:].flatten().tolist(),
        )
    found["margin_mse"] = float(MarginMSELoss(None).compute_loss_from_embeddings(student, wanted))
    found["divergences"] = [
        {
            "temperature": t,
            "loss": float(
                DistillKLDivLoss(None, temperature=t).compute_loss_from_embeddings(student, wanted)
            ),
        }
        for t in (1.0, 3.0)
    ]
    return found


def projection():
    """DenseHead's start in the library, which draws it from the run's seed."""
    weight = (
        torch.tensor(normal_matrix(OTHER_WIDTH, WIDTH, WIDTH**-0.5, plain.TRAINER["seed"], 0))
        .float()
        .double()
    )
    return {
        "projection.0.weight": weight.requires_grad_(True),
        "projection.0.bias": torch.zeros(OTHER_WIDTH, dtype=torch.double, requires_grad=True),
    }


def run(changes, batches, pairs=True, negatives=False):
    config = {**DEFAULTS, **changes}
    name, kind = config.get("distill.teacher"), config.get("distill.loss", "embedding_mse")
    encoder, head = plain.Encoder(), projection() if "distill.projection" in config else {}
    frozen = (
        None
        if name is None
        else CrossEncoder(str(FIXTURES / name), device="cpu")
        if name == RERANKER
        else teacher(name)
    )
    if name == RERANKER:
        frozen.model.double()

    def vectors(texts):
        pooled = (
            encoder.cls(texts) if config.get("distill.pooling") == "cls" else encoder.mean(texts)
        )
        x = F.normalize(pooled, dim=1)  # the model ends in a Normalize module
        return x @ head["projection.0.weight"].T + head["projection.0.bias"] if head else x

    def loss(step):
        batch = batches[step]
        hard = [texts[0] for texts in batch["negatives"]]
        if kind == "embedding_mse":
            columns = [batch["a"]] + ([batch["b"]] if pairs else []) + ([hard] if negatives else [])
            own = torch.cat([vectors(column) for column in columns])
            sources = (
                columns
                if config.get("distill.second_texts") == "own"
                else [batch["a"]] * len(columns)
            )
            return (own - torch.cat([taught(frozen, source) for source in sources])).square().mean()
        a, b, x = (vectors(column) for column in (batch["a"], batch["b"], hard))
        own = {"positives": (a * b).sum(1), "negatives": (a * x).sum(1)}
        if name is None:
            return margin_loss(own, torch.tensor(batch["scores"], dtype=torch.double))
        if name == RERANKER:
            wanted = {
                "positives": logits(frozen, list(zip(batch["a"], batch["b"]))),
                "negatives": logits(frozen, list(zip(batch["a"], hard))),
            }
        else:
            ta, tb, tx = (taught(frozen, column) for column in (batch["a"], batch["b"], hard))
            wanted = {"positives": (ta * tb).sum(1), "negatives": (ta * tx).sum(1)}
        if kind == "margin_mse":
            return margin_loss(own, wanted["positives"] - wanted["negatives"])
        return score_loss(own, wanted, config.get("distill.temperature", 1.0))

    trained = {**encoder.trainable(), **head}
    return golden_case(
        config, plain.train(trained, loss, config), trained, pairs=pairs, negatives=negatives
    )


def main():
    batches = []
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(9000 + 10 * k + 100 * i, plain.BATCH) for k in range(3))
        batches.append(
            {
                "a": a,
                "b": b,
                "negatives": [[text] for text in c],
                "scores": [((i + 3 * k) % 7 - 3) / 4 for k in range(plain.BATCH)],
            }
        )
    compare_with_sentence_transformers(batches[0])
    cases = {
        "translations": run({"distill.teacher": SAME}, batches),
        "own-vectors": run(
            {"distill.teacher": SAME, "distill.second_texts": "own", "distill.pooling": "cls"},
            batches,
            negatives=True,
        ),
        "projection": run(
            {"distill.teacher": OTHER, "distill.projection": "linear"}, batches, pairs=False
        ),
        "margins": run(
            {"distill.teacher": OTHER, "distill.loss": "margin_mse"}, batches, negatives=True
        ),
        "margins-of-a-reranker": run(
            {"distill.teacher": RERANKER, "distill.loss": "margin_mse"}, batches, negatives=True
        ),
        "margins-of-the-data": run({"distill.loss": "margin_mse"}, batches, negatives=True),
        "scores": run(
            {"distill.teacher": OTHER, "distill.loss": "scores", "distill.temperature": 0.1},
            batches,
            negatives=True,
        ),
    }
    write("distill", cases, batches=batches, objectives=reference())


if __name__ == "__main__":
    main()
