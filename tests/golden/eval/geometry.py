#!/usr/bin/env python3
"""Writes tests/fixtures/eval_geometry.json: effective ranks from numpy's singular values, and
scikit-learn's exact t-SNE of generated points (joint probabilities, PCA start, result with its KL
divergence and trustworthiness), for the tests of core/eval/geometry. Run it once, manually, where
numpy and scikit-learn are installed:

    python3 tests/golden/eval/geometry.py
"""

import json
import pathlib

import numpy as np
import scipy.spatial.distance
import sklearn
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from sklearn.manifold._t_sne import _joint_probabilities

ROOT = pathlib.Path(__file__).resolve().parents[3]


def numbers(array, digits):
    return [float(f"{x:.{digits}g}") for x in np.asarray(array).ravel()]


def effective_rank(points):
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    share = np.linalg.svd(unit, compute_uv=False)
    share = share / share.sum()
    share = share[share > 0]
    return float(np.exp(-(share * np.log(share)).sum()))


def ranks(rng):
    cases = []
    for n, d in ((4, 9), (30, 6), (12, 12)):
        points = (rng.standard_normal((n, d)) * np.geomspace(1, 0.01, d) + 0.3).astype(np.float32)
        cases.append(
            {
                "dimension": d,
                "points": numbers(points, 9),
                "value": effective_rank(points.astype(np.float64)),
            }
        )
    return cases


def tsne(rng):
    n, d, perplexity = 60, 8, 12.0
    centres = 2 * rng.standard_normal((4, d))
    points = (centres[np.arange(n) % 4] + rng.standard_normal((n, d))).astype(np.float32)
    x = points.astype(np.float64)
    start = PCA(n_components=2, svd_solver="full").fit_transform(x)
    start = start / np.std(start[:, 0]) * 1e-4
    model = TSNE(
        method="exact",
        perplexity=perplexity,
        early_exaggeration=12.0,
        learning_rate="auto",
        max_iter=1000,
        init=start.copy(),
        n_iter_without_progress=1000,
        min_grad_norm=0,
    )
    result = model.fit_transform(x)
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(x, "sqeuclidean"))
    joint = _joint_probabilities(distances, perplexity, 0)  # i < j, row by row
    return {
        "dimension": d,
        "perplexity": perplexity,
        "points": numbers(points, 9),
        "start": numbers(start, 9),
        "joint_probabilities": numbers(joint, 7),
        "result": numbers(result, 9),
        "kl": float(model.kl_divergence_),
        "neighbours": 10,
        "trustworthiness": float(trustworthiness(x, result, n_neighbors=10)),
    }


def main():
    rng = np.random.default_rng(20240602)
    golden = {
        "made_with": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "effective_rank": ranks(rng),
        "tsne": tsne(rng),
    }
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in golden.items()
    ]
    (ROOT / "tests/fixtures/eval_geometry.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
