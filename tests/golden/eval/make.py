#!/usr/bin/env python3
"""Writes tests/fixtures/eval_golden.json: the results of SciPy and sentence-transformers for
generated numbers, for the tests of core/eval and core/retrieval. Run it once, manually, where both
are installed:

    python3 tests/golden/eval/make.py
"""

import json
import pathlib

import numpy as np
import scipy.stats
import sentence_transformers
import torch
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator
from sentence_transformers.util import (
    cos_sim,
    dot_score,
    euclidean_sim,
    manhattan_sim,
    quantize_embeddings,
)

ROOT = pathlib.Path(__file__).resolve().parents[3]


def floats(array):
    """float32 values, printed so that they read back exactly."""
    return [float(f"{x:.9g}") for x in np.asarray(array, np.float32).ravel()]


def correlation(rng):
    cases = []
    for n, ties in ((2, 0), (3, 0), (50, 0), (50, 4), (400, 11)):
        x, y = rng.standard_normal(n), rng.standard_normal(n)
        y += 0.5 * x
        if ties:
            x, y = np.floor(x * ties), np.floor(y * ties)
        x, y = x * 1e3 + 1e6, y * 1e-9
        cases.append(
            {
                "x": list(x),
                "y": list(y),
                "pearson": scipy.stats.pearsonr(x, y)[0],
                "spearman": scipy.stats.spearmanr(x, y)[0],
                "ranks_x": list(scipy.stats.rankdata(x)),
            }
        )
    return cases


def quantize(rng):
    n, d = 12, 11  # not whole bytes: numpy packs along the last axis only when it is told to
    embeddings = rng.standard_normal((n, d)).astype(np.float32)
    embeddings[3, 4] = embeddings[5, 6] = 0
    calibration = (0.5 * rng.standard_normal((40, d))).astype(
        np.float32
    )  # narrower: some embeddings lie outside
    calibration[:, 2] = 0.25  # no range at all
    return {
        "dimension": d,
        "embeddings": floats(embeddings),
        "calibration": floats(calibration),
        "float16": embeddings.astype(np.float16).view(np.uint16).ravel().tolist(),
        "int8_own_range": quantize_embeddings(embeddings, "int8").ravel().tolist(),
        "int8_calibrated": quantize_embeddings(
            embeddings, "int8", calibration_embeddings=calibration
        )
        .ravel()
        .tolist(),
        "ubinary": np.packbits(embeddings > 0, axis=-1).ravel().tolist(),
    }


def similarity(rng):
    a, b = (
        rng.standard_normal((5, 7)).astype(np.float32),
        rng.standard_normal((4, 7)).astype(np.float32),
    )
    a[2] = 0
    result = {"dimension": 7, "a": floats(a), "b": floats(b)}
    for name, function in (
        ("cosine", cos_sim),
        ("dot", dot_score),
        ("euclidean", euclidean_sim),
        ("manhattan", manhattan_sim),
    ):
        result[name] = floats(
            function(torch.from_numpy(a).double(), torch.from_numpy(b).double()).numpy()
        )
    return result


def retrieval(rng):
    n_queries, n_documents, at = 20, 60, [1, 3, 10, 30]
    ranked = [rng.permutation(n_documents)[:30].tolist() for _ in range(n_queries)]
    relevant = [
        sorted(rng.choice(n_documents, size=rng.integers(1, 15), replace=False).tolist())
        for _ in range(n_queries)
    ]
    evaluator = InformationRetrievalEvaluator(
        queries={str(i): "q" for i in range(n_queries)},
        corpus={str(i): "d" for i in range(n_documents)},
        relevant_docs={str(i): {str(j) for j in relevant[i]} for i in range(n_queries)},
        accuracy_at_k=at,
        precision_recall_at_k=at,
        mrr_at_k=at,
        ndcg_at_k=at,
        map_at_k=at,
    )
    found = evaluator.compute_metrics(
        [[{"corpus_id": str(j), "score": -rank} for rank, j in enumerate(ids)] for ids in ranked]
    )
    return {
        "ranked": ranked,
        "relevant": relevant,
        "k": at,
        "recall": [float(found["recall@k"][k]) for k in at],
        "mrr": [float(found["mrr@k"][k]) for k in at],
        "ndcg": [float(found["ndcg@k"][k]) for k in at],
        "map": [float(found["map@k"][k]) for k in at],
    }


def main():
    rng = np.random.default_rng(20240601)
    golden = {
        "made_with": {
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "sentence-transformers": sentence_transformers.__version__,
        },
        "correlation": correlation(rng),
        "quantize": quantize(rng),
        "similarity": similarity(rng),
        "retrieval": retrieval(rng),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items()]
    (ROOT / "tests/fixtures/eval_golden.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
