#!/usr/bin/env python3
"""Writes tests/fixtures/eval_retrieval.json: the results of sentence-transformers' evaluators and
scikit-learn for generated embeddings, for the tests of core/eval/retrieval. Text "t7" stands for
row 7 of a table. Run it once, manually, where both are installed:

    python3 tests/golden/eval/retrieval.py
"""

import json
import pathlib
from unittest import mock

import numpy as np
import sentence_transformers
import sklearn
import torch
from sentence_transformers.sentence_transformer.evaluation import (
    BinaryClassificationEvaluator,
    InformationRetrievalEvaluator,
    ParaphraseMiningEvaluator,
    TripletEvaluator,
)
from sentence_transformers.util import cos_sim
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef

ROOT = pathlib.Path(__file__).resolve().parents[3]
SIMILARITIES = ["cosine", "dot", "euclidean", "manhattan"]


class Table:
    """What the evaluators need of a model: it looks its texts up."""

    similarity_fn_name = "cosine"
    similarity_fn_names = ["cosine"]
    similarity = staticmethod(cos_sim)
    model_card_data = mock.Mock()

    def __init__(self, rows):
        self.rows = rows

    def encode(self, texts, convert_to_tensor=False, **_):
        found = np.stack([self.rows[int(text[1:])] for text in texts])
        return torch.from_numpy(found) if convert_to_tensor else found

    encode_query = encode_document = encode


def name(row):
    return f"t{row}"


def plain(metrics):
    """Numbers that JSON knows, without the name of a data set before them."""
    return {key: float(value) for key, value in metrics.items()}


def retrieval(rng, model):
    queries, documents, at = list(range(12)), list(range(12, 60)), [1, 3, 10, 100]
    relevant = {
        q: sorted(rng.choice(documents, size=rng.integers(0, 6), replace=False).tolist())
        for q in queries
    }
    evaluator = InformationRetrievalEvaluator(
        queries={name(q): name(q) for q in queries},
        corpus={name(d): name(d) for d in documents},
        relevant_docs={name(q): {name(d) for d in found} for q, found in relevant.items() if found},
        accuracy_at_k=at,
        precision_recall_at_k=at,
        mrr_at_k=at,
        ndcg_at_k=at,
        map_at_k=at,
        main_score_function="cosine",
    )
    return {
        "queries": queries,
        "documents": documents,
        "relevant": [relevant[q] for q in queries],
        "k": at,
        "metrics": plain(evaluator(model)),
    }


def pairs(rng, model):
    first, second = rng.integers(0, 60, 80).tolist(), rng.integers(0, 60, 80).tolist()
    first[40:44], second[40:44] = first[:4], second[:4]  # equal scores with perhaps other labels
    scores = (model.rows[first] * model.rows[second]).sum(1)
    labels = (scores + 2 * rng.standard_normal(80) > 1).astype(int).tolist()
    labels[40] = 1 - labels[0]
    evaluator = BinaryClassificationEvaluator(
        [name(i) for i in first],
        [name(i) for i in second],
        labels,
        similarity_fn_names=SIMILARITIES,
    )
    return {"first": first, "second": second, "labels": labels, "metrics": plain(evaluator(model))}


def triplets(rng, model):
    chosen = rng.integers(0, 60, (70, 3))
    columns = [[name(i) for i in column] for column in chosen.T]
    return {
        "rows": chosen.tolist(),
        "margin": 0.25,
        "metrics": plain(TripletEvaluator(*columns, similarity_fn_names=SIMILARITIES)(model)),
        "metrics_margin": plain(
            TripletEvaluator(*columns, similarity_fn_names=SIMILARITIES, margin=0.25)(model)
        ),
    }


def paraphrases(rng, model):
    duplicates = [(int(a), int(b)) for a, b in rng.integers(0, 60, (25, 2)) if a != b]
    similar = np.argsort(-(model.rows @ model.rows.T) + 1e9 * np.eye(60), axis=1)[:, 0]
    duplicates += [(i, int(similar[i])) for i in range(0, 60, 4)]
    result = {"duplicates": duplicates, "cases": []}
    for top_k, max_pairs, transitive in (
        (100, 500000, False),
        (100, 500000, True),
        (3, 500000, False),
        (100, 50, False),
    ):
        evaluator = ParaphraseMiningEvaluator(
            {name(i): name(i) for i in range(60)},
            [(name(a), name(b)) for a, b in duplicates],
            add_transitive_closure=transitive,
            top_k=top_k,
            max_pairs=max_pairs,
            query_chunk_size=7,
        )
        result["cases"].append(
            {
                "top_k": top_k,
                "max_pairs": max_pairs,
                "transitive": transitive,
                "metrics": plain(evaluator(model)),
            }
        )
    return result


def scores(rng):
    """Scikit-learn alone, on scores with many ties."""
    cases = []
    for n, levels in ((40, 5), (200, 12), (30, 1)):
        labels = rng.integers(0, 2, n)
        values = np.floor(rng.random(n) * levels) + 0.5 * labels * (levels > 1)
        thresholds = np.unique(values)
        cases.append(
            {
                "scores": values.tolist(),
                "labels": labels.tolist(),
                "average_precision": float(average_precision_score(labels, values)),
                "f1": max(float(f1_score(labels, values >= t)) for t in thresholds),
                "accuracy": max(
                    [float(((values >= t) == labels).mean()) for t in thresholds]
                    + [float((labels == 0).mean())]
                ),
                "matthews_at": float(thresholds[len(thresholds) // 2]),
                "matthews": float(
                    matthews_corrcoef(labels, values >= thresholds[len(thresholds) // 2])
                ),
            }
        )
    return cases


def main():
    rng = np.random.default_rng(20240603)
    rows = rng.standard_normal((60, 6)).astype(np.float32)
    model = Table(rows)
    golden = {
        "made_with": {
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
            "sentence-transformers": sentence_transformers.__version__,
        },
        "dimension": 6,
        "table": [float(f"{x:.9g}") for x in rows.ravel()],
        "retrieval": retrieval(rng, model),
        "pairs": pairs(rng, model),
        "triplets": triplets(rng, model),
        "paraphrases": paraphrases(rng, model),
        "scores": scores(rng),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items()]
    (ROOT / "tests/fixtures/eval_retrieval.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
