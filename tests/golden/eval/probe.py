#!/usr/bin/env python3
"""Writes tests/fixtures/probe_golden.json for tests/core/eval/transfer: the weights of SentEval's
classifier after given batches, by PyTorch's autograd and optimisers in double, and the class counts
of scikit-learn's stratified folds. Run it once, manually, where both are installed:

    python3 tests/golden/eval/probe.py
"""

import json
import pathlib

import numpy as np
import sklearn
import torch
from sklearn.model_selection import StratifiedKFold
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[3]


def numbers(tensor):
    return [float(f"{x:.9g}") for x in tensor.detach().flatten().tolist()]


def network(inputs, hidden, outputs):
    if hidden == 0:
        return nn.Sequential(nn.Linear(inputs, outputs)).double()
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.Dropout(0.0), nn.Sigmoid(), nn.Linear(hidden, outputs)
    ).double()


def flat(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def fit(rng, *, inputs, hidden, outputs, rows, batch, optimizer, l2, squared):
    x = torch.tensor(rng.standard_normal((rows, inputs)).astype(np.float32)).double()
    model = network(inputs, hidden, outputs)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.tensor(0.3 * rng.standard_normal(p.shape).astype(np.float32)))
    case = {
        "in": inputs,
        "hidden": hidden,
        "out": outputs,
        "batch": batch,
        "optimizer": optimizer,
        "l2": l2,
        "x": numbers(x),
        "start": numbers(flat(model)),
    }
    if squared:
        targets = torch.tensor(rng.dirichlet(np.ones(outputs), rows).astype(np.float32)).double()
        case["targets"] = numbers(targets)
    else:
        labels = torch.tensor(rng.integers(0, outputs, rows))
        case["labels"] = labels.tolist()
    step = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}[optimizer](
        model.parameters(), weight_decay=l2
    )  # PyTorch's own rates
    case["passes"] = []
    for _ in range(3):
        order = rng.permutation(rows)
        for begin in range(0, rows, batch):
            chosen = torch.tensor(order[begin : begin + batch])
            logits = model(x[chosen])
            loss = (
                nn.MSELoss()(logits.softmax(-1), targets[chosen])
                if squared
                else nn.CrossEntropyLoss()(logits, labels[chosen])
            )
            step.zero_grad()
            loss.backward()
            step.step()
        case["passes"].append({"order": order.tolist(), "weights": numbers(flat(model))})
    case["logits"] = numbers(model.eval()(x))
    return case


def folds(rng):
    cases = []
    shapes = (
        ([0.5, 0.5], 40, 10),
        ([0.3, 0.7], 53, 10),
        ([0.02, 0.2, 0.23, 0.22, 0.15, 0.18], 211, 5),
        ([1.0], 7, 3),
        ([0.1, 0.9], 31, 4),
    )
    for shares, n, k in shapes:
        for order in ("mixed", "sorted"):
            labels = rng.choice(len(shares), n, p=shares)
            if order == "sorted":
                labels = np.sort(labels)[::-1]
            counts = [
                np.bincount(labels[held], minlength=len(shares)).tolist()
                for _, held in StratifiedKFold(k, shuffle=True, random_state=1).split(
                    np.zeros(n), labels
                )
            ]
            cases.append(
                {"labels": labels.tolist(), "folds": k, "classes": len(shares), "counts": counts}
            )
    return cases


def main():
    rng = np.random.default_rng(20240604)
    fits = []
    for hidden in (0, 3):
        for optimizer in ("adam", "rmsprop"):
            for outputs, inputs, rows, batch in ((2, 5, 14, 4), (6, 19, 23, 8)):
                fits.append(
                    fit(
                        rng,
                        inputs=inputs,
                        hidden=hidden,
                        outputs=outputs,
                        rows=rows,
                        batch=batch,
                        optimizer=optimizer,
                        l2=0.01,
                        squared=False,
                    )
                )
    fits.append(
        fit(
            rng,
            inputs=9,
            hidden=0,
            outputs=5,
            rows=17,
            batch=5,
            optimizer="adam",
            l2=0.0,
            squared=True,
        )
    )
    versions = {
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }
    golden = {"made_with": versions, "fits": fits, "folds": folds(rng)}
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in golden.items()
    ]
    (ROOT / "tests/fixtures/probe_golden.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
