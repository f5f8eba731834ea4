#!/usr/bin/env python3
"""Twenty updates of a reranker in plain PyTorch, by each of its losses: reranker.json and
reranker.golden.safetensors, which tuning_golden_test.cpp holds the library to. The losses are
compared with those of sentence-transformers' CrossEncoder; their values on random logits are kept
for the tests of the objectives.

    python tests/golden/methods/reranker.py
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from sentence_transformers import CrossEncoder
from sentence_transformers.cross_encoder import losses as theirs
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import plain
from golden_file import golden_case, write

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "rerankers"
DEFAULTS = {
    **plain.TRAINER,
    "method": "reranker",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "reranker.dropout": False,
}


def listwise(logits, labels):
    """Each list's labels as shares against the softmax of its logits."""
    return torch.stack(
        [-(t / t.sum() * F.log_softmax(z, 0)).sum() for z, t in zip(logits, labels)]
    ).mean()


def listnet(logits, labels):
    return torch.stack(
        [-(t.softmax(0) * F.log_softmax(z, 0)).sum() for z, t in zip(logits, labels)]
    ).mean()


def lambda_loss(logits, labels, weights="ndcg-loss2++", top=0):
    """Pair by pair, as the LambdaLoss paper has it, in base 2."""
    terms = []
    for z, t in zip(logits, labels):
        order = sorted(range(len(z)), key=lambda i: -float(z[i]))
        k = top or max(len(each) for each in logits)
        discount = [
            torch.log2(torch.tensor(rank + 2.0, dtype=z.dtype))
            for rank in range(max(len(each) for each in logits) + 1)
        ]
        best = sum(
            (2**gain - 1) / discount[rank]
            for rank, gain in enumerate(sorted((max(float(x), 0) for x in t), reverse=True)[:k])
        )
        gain = [(2 ** max(float(t[i]), 0) - 1) / max(best, 1e-10) for i in order]
        for i, a in enumerate(order):
            for j, b in enumerate(order):
                if float(t[a]) <= float(t[b]) or min(i, j) >= k:
                    continue
                rank = abs(1 / discount[i] - 1 / discount[j])
                near = abs(1 / discount[abs(i - j) - 1] - 1 / discount[abs(i - j)])
                share = {
                    "ndcg-loss2++": 10 * near + rank,
                    "ndcg-loss2": near,
                    "lambdarank": rank,
                    "none": None,
                }[weights]
                weight = 1 if share is None else share * abs(gain[i] - gain[j])
                terms.append(
                    -weight
                    * F.logsigmoid(z[a] - z[b])
                    / torch.log(torch.tensor(2.0, dtype=z.dtype))
                )
    return torch.stack(terms).mean() if terms else sum(z.sum() for z in logits) * 0


def margins(logits, teacher):
    return (
        torch.cat([(z[0] - z[1:]) - (t[0] - t[1:]) for z, t in zip(logits, teacher)])
        .square()
        .mean()
    )


class Logits(CrossEncoder):
    """Stands for a CrossEncoder whose logits are there already: a pair's second text is the place
    of its logit."""

    def __init__(self, logits, labels=1):
        torch.nn.Module.__init__(self)
        self.logits, self.labels = logits, labels

    num_labels = property(lambda self: self.labels)
    device = property(lambda self: torch.device("cpu"))

    def preprocess(self, pairs, **_):
        return {"places": torch.tensor([int(second) for _, second in pairs])}

    def forward(self, features):
        return {"scores": self.logits[features["places"]]}


def reference():
    torch.manual_seed(11)
    lengths = [3, 1, 5, 2]
    count = sum(lengths)
    logits = 2 * torch.randn(count)
    labels = torch.tensor([1.0, 0, 0, 1, 0, 2, 1, 0, 3, 0, 1])
    teacher = 3 * torch.randn(count)
    classes = torch.randint(0, 3, (count,))
    class_logits = torch.randn(count, 3)
    case = {
        "lengths": lengths,
        "logits": logits.tolist(),
        "labels": labels.tolist(),
        "teacher": teacher.tolist(),
        "class_logits": class_logits.tolist(),
        "classes": classes.tolist(),
    }
    queries, places = ["q"] * count, [str(i) for i in range(count)]
    model = Logits(logits)
    probabilities = torch.sigmoid(teacher)
    case["probabilities"] = probabilities.tolist()
    case["binary"] = float(
        theirs.BinaryCrossEntropyLoss(model, pos_weight=torch.tensor(2.5))(
            [queries, places], probabilities
        )
    )
    case["classes_loss"] = float(
        theirs.CrossEntropyLoss(Logits(class_logits, 3))([queries, places], classes)
    )
    case["distillation"] = float(theirs.MSELoss(model)([queries, places], teacher))
    split = lambda values: list(torch.split(values, lengths))
    lists = [["q"] * len(lengths), [list(x) for x in torch.split(torch.arange(count), lengths)]]
    lists[1] = [[str(int(i)) for i in documents] for documents in lists[1]]
    case["listnet"] = float(theirs.ListNetLoss(model)(lists, split(labels)))
    for name, scheme in (
        ("ndcg-loss2++", theirs.NDCGLoss2PPScheme()),
        ("ndcg-loss2", theirs.NDCGLoss2Scheme()),
        ("lambdarank", theirs.LambdaRankScheme()),
        ("none", theirs.NoWeightingScheme()),
    ):
        for top in (0, 2):
            value = float(theirs.LambdaLoss(model, scheme, k=top or None)(lists, split(labels)))
            ours = float(lambda_loss(split(logits), split(labels), name, top))
            assert abs(ours - value) < 1e-5, (name, top, ours, value)
            case[f"lambda {name} {top}"] = value
    margin = theirs.MarginMSELoss(model)(
        [["q", "q"], ["0", "4"], ["1", "5"], ["2", "6"]], torch.stack([teacher[:3], teacher[4:7]])
    )
    case["margin of two"] = float(margin)
    for name, ours in (
        ("listnet", listnet(split(logits), split(labels))),
        (
            "binary",
            F.binary_cross_entropy_with_logits(logits, probabilities, pos_weight=torch.tensor(2.5)),
        ),
        ("classes_loss", F.cross_entropy(class_logits, classes)),
        ("distillation", F.mse_loss(logits, teacher)),
        ("margin of two", margins([logits[:3], logits[4:7]], [teacher[:3], teacher[4:7]])),
    ):
        assert abs(float(ours) - case[name]) < 1e-5, (name, float(ours), case[name])
        print(f"{name}, as sentence-transformers computes it: {float(ours):.9f} {case[name]:.9f}")
    case["listwise"] = float(listwise([logits[:3], logits[4:9]], [labels[:3], labels[4:9]]))
    return case


def library_name(name):
    return (
        name.removeprefix("bert.")
        if name.startswith("bert.")
        else name.replace("classifier.", "classifier.out_proj.")
    )


def run(loss_name, folder, batches, loss, **keys):
    config = {**DEFAULTS, "reranker.loss": loss_name, **keys}
    model = AutoModelForSequenceClassification.from_pretrained(FOLDER / folder).double().eval()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER / folder)

    def loss_of_step(step):
        batch = batches[step]
        negatives = batch.get("negatives", [[]] * len(batch["a"]))
        lengths = [1 + len(texts) for texts in negatives]
        pairs = [
            (a, text)
            for a, b, more in zip(batch["a"], batch["b"], negatives)
            for text in [b, *more]
        ]
        inputs = tokenizer(
            [p[0] for p in pairs],
            [p[1] for p in pairs],
            padding=True,
            truncation=True,
            return_tensors="pt",
        )
        return loss(model(**inputs).logits, lengths, batch)

    trained = {library_name(name): p for name, p in model.named_parameters()}
    return golden_case(config, plain.train(trained, loss_of_step, config), trained, folder=folder)


def split_logits(logits, lengths):
    return list(torch.split(logits.squeeze(1), lengths))


def right_first(lengths):
    return [torch.tensor([1.0] + [0.0] * (n - 1)).double() for n in lengths]


def teachers(batch):
    return [torch.tensor(scores).double() for scores in batch["teacher"]]


def main():
    batches, classes = [], []
    generator = torch.Generator().manual_seed(3)
    for i in range(plain.STEPS):
        a, b, c = (plain.sentences(9000 + 10 * k + 100 * i, 4) for k in range(3))
        negatives = [[c[0]], [c[1], a[0]], [c[2]], [c[3], a[1], a[2]]]
        teacher = [
            [round(float(x), 4) for x in 2 * torch.randn(1 + len(texts), generator=generator)]
            for texts in negatives
        ]
        batches.append({"a": a, "b": b, "negatives": negatives, "teacher": teacher})
        classes.append(
            {
                "a": a,
                "b": b,
                "scores": [float(x) for x in torch.randint(0, 3, (4,), generator=generator)],
            }
        )

    def plain_labels(rows):
        return [{key: value for key, value in row.items() if key != "teacher"} for row in rows]

    unscored = plain_labels(batches)
    cases = {
        "binary": run(
            "binary",
            "bert",
            unscored,
            lambda z, n, _: F.binary_cross_entropy_with_logits(
                z.squeeze(1), torch.cat(right_first(n)), pos_weight=torch.tensor(2.0).double()
            ),
            **{"reranker.positive_weight": 2.0},
        ),
        "listwise": run(
            "listwise",
            "bert",
            unscored,
            lambda z, n, _: listwise(split_logits(z, n), right_first(n)),
        ),
        "lambda": run(
            "lambda",
            "bert",
            unscored,
            lambda z, n, _: lambda_loss(split_logits(z, n), right_first(n)),
        ),
        "listnet": run(
            "listnet",
            "bert",
            batches,
            lambda z, n, batch: listnet(split_logits(z, n), teachers(batch)),
        ),
        "distillation": run(
            "distillation",
            "bert",
            batches,
            lambda z, _, batch: F.mse_loss(z.squeeze(1), torch.cat(teachers(batch))),
        ),
        "margin-distillation": run(
            "margin-distillation",
            "bert",
            batches,
            lambda z, n, batch: margins(split_logits(z, n), teachers(batch)),
        ),
        "classes": run(
            "classes",
            "bert_labels",
            classes,
            lambda z, _, batch: F.cross_entropy(z, torch.tensor(batch["scores"]).long()),
        ),
    }
    write("reranker", cases, batches=batches, classes=classes, objectives=reference())


if __name__ == "__main__":
    main()
