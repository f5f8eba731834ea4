#!/usr/bin/env python3
"""Writes tests/fixtures/mining_golden.json: what sentence-transformers' mine_hard_negatives makes
of made-up vectors under a grid of settings, for tests/core/mining/golden_test.cpp. Run it manually,
where sentence-transformers 6.2.0 and datasets are installed:

    python3 tests/golden/mining/make.py
"""

import contextlib
import io
import itertools
import json
import pathlib
import random
import re
import types

import datasets.arrow_dataset
import numpy as np
import sentence_transformers
import torch
from datasets import Dataset
from sentence_transformers.util import cos_sim, mine_hard_negatives, pairwise_cos_sim

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIMENSION = 6
datasets.arrow_dataset.generate_fingerprint = lambda *_, **__: (
    "none"
)  # nothing is cached, and not every pyarrow can be pickled
DOCUMENTS, QUERIES = 40, 14


def vectors(rng, names):
    return {name: [float(x) for x in np.round(rng.standard_normal(DIMENSION), 4)] for name in names}


class TableModel:
    """Stands in for a SentenceTransformer: looks vectors up."""

    device = "cpu"
    model_card_data = types.SimpleNamespace(base_model="table")
    similarity = staticmethod(cos_sim)
    similarity_pairwise = staticmethod(pairwise_cos_sim)

    def __init__(self, table):
        self.table = table

    def encode_query(self, texts, **_):
        rows = np.asarray([self.table[text] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encode_document = encode_query


class TableCrossEncoder:
    """Stands in for a CrossEncoder: the cosine of a second table."""

    def __init__(self, table):
        self.model = TableModel(table)

    def predict(self, pairs, **_):
        a, b = (self.model.encode_query(texts) for texts in zip(*pairs))
        return pairwise_cos_sim(a, b)


def number(text):
    return int(text.replace(",", ""))


def mined(data, settings, guided):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        dataset = mine_hard_negatives(
            Dataset.from_dict(
                {"anchor": [q for q, _ in data["pairs"]], "positive": [d for _, d in data["pairs"]]}
            ),
            TableModel(data["vectors"]),
            corpus=data["corpus"],
            cross_encoder=TableCrossEncoder(data["guide"]) if guided else None,
            output_scores=True,
            verbose=True,
            **settings,
        )
    text = out.getvalue()
    skipped = {
        name: number(count)
        for count, name in re.findall(
            r"Skipped ([\d,]+) potential negatives \(.*?\) due to the (\w+) of", text
        )
    }
    missing = re.search(r"Could not find enough negatives for (\d+) samples", text)
    summary = {}
    for name in ("Mean", "Median", "Std", "Min", "25%", "50%", "75%", "Max"):
        line = re.search(rf"^{name} +(\S+) +(\S+) +(\S+)", text, re.M)
        summary[name] = [float(x) for x in line.groups()]
    count = re.search(r"^Count +(\S+) +(\S+)", text, re.M)
    rows = [[row[column] for column in dataset.column_names] for row in dataset]
    chosen = re.search(r"Setting range_max to (\d+)", text)
    return {
        "settings": settings,
        "guided": guided,
        "columns": dataset.column_names,
        "rows": rows,
        "skipped": skipped,
        "missing": int(missing.group(1)) if missing else 0,
        "count": [number(x) for x in count.groups()],
        "summary": summary,
        "range_max": int(chosen.group(1)) if chosen else settings["range_max"],
    }


def grid(rng):
    choices = {
        "num_negatives": [1, 3, 5],
        "range_min": [0, 2],
        "range_max": [None, 9],
        "absolute_margin": [None, 0.0, 0.1],
        "relative_margin": [None, 0.05, 0.3],
        "max_score": [None, 0.6],
        "min_score": [None, 0.1],
    }
    everything = [dict(zip(choices, values)) for values in itertools.product(*choices.values())]
    formats = itertools.cycle(["triplet", "n-tuple", "labeled-pair", "labeled-list"])
    chosen = [
        {"num_negatives": 3},
        {"num_negatives": 3, "relative_margin": 0.05},
        {"num_negatives": 60},
    ] + rng.sample(everything, 60)
    for settings in chosen:
        settings = {key: value for key, value in settings.items() if value is not None}
        yield {**settings, "output_format": next(formats)}


def main():
    torch.manual_seed(0)
    rng, chance = np.random.default_rng(20), random.Random(7)
    documents, queries = [f"d{i}" for i in range(DOCUMENTS)], [f"q{i}" for i in range(QUERIES)]
    table = vectors(rng, documents + queries)
    for i, query in enumerate(queries):  # a positive is near its query, more or less
        table[query] = [round(x + 0.7 * y, 4) for x, y in zip(table[f"d{i}"], table[query])]
    pairs = [[query, f"d{i}"] for i, query in enumerate(queries)]
    pairs += [
        ["q1", "d20"],
        ["q1", "d21"],
        ["q4", "d4"],
        ["q5", "d39"],
        ["q2", "d33"],
    ]  # several positives; one pair twice
    corpus = [d for d in documents if d not in ("d0", "d39")] + [
        "d7",
        "d8",
    ]  # two positives are not in it, two documents twice
    data = {
        "sentence_transformers": sentence_transformers.__version__,
        "dimension": DIMENSION,
        "vectors": table,
        "guide": vectors(rng, documents + queries),
        "pairs": pairs,
        "corpus": corpus,
        "runs": [],
    }
    filters = {"absolute_margin", "relative_margin", "max_score", "min_score"}
    for i, settings in enumerate(grid(chance)):
        guided = i % 3 == 2 and bool(
            filters & set(settings)
        )  # without a filter a cross encoder is not asked
        data["runs"].append(mined(data, settings, guided))
    lines = ",\n".join(json.dumps(run) for run in data.pop("runs"))
    head = json.dumps(data)
    (ROOT / "tests/fixtures/mining_golden.json").write_text(
        f"{head[:-1]}, \"runs\": [\n{lines}\n]}}\n"
    )


if __name__ == "__main__":
    main()
