#!/usr/bin/env python3
"""Writes tests/fixtures/classification_golden.json: accuracy, F1 and Matthews' coefficient as
scikit-learn computes them, for tests/core/eval/classification_metrics_test.cpp. Run it once,
manually, where scikit-learn is installed:

    python3 tests/golden/eval/classification.py
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    rng = np.random.default_rng(20240602)
    cases = []
    for n, classes, agreement in (
        (1, 2, 1.0),
        (6, 2, 0.5),
        (40, 2, 0.8),
        (60, 2, 0.1),
        (80, 3, 0.6),
        (100, 6, 0.7),
        (30, 2, 0.0),
    ):
        labels = rng.integers(0, classes, n)
        predicted = np.where(rng.random(n) < agreement, labels, rng.integers(0, classes, n))
        if n == 30:
            predicted[:] = 1  # constant: no correlation
        cases.append(
            {
                "labels": labels.tolist(),
                "predicted": predicted.tolist(),
                "accuracy": float(accuracy_score(labels, predicted)),
                "matthews": float(matthews_corrcoef(labels, predicted)),
                "f1": [
                    {
                        "positive": c,
                        "value": float(f1_score(labels == c, predicted == c, zero_division=0)),
                    }
                    for c in range(classes)
                ],
            }
        )
    golden = {
        "made_with": {"scikit-learn": sklearn.__version__, "numpy": np.__version__},
        "cases": cases,
    }
    path = ROOT / "tests/fixtures/classification_golden.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    print(path)


if __name__ == "__main__":
    main()
