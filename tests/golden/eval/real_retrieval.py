#!/usr/bin/env python3
"""Writes tests/golden/eval/real_retrieval.json: sentence-transformers' figures for all-MiniLM-L6-v2
on real pairs and triplets, for the test test_retrieval_real. Run it once, manually, with the folder
of the unpacked data and that of the model:

    real_retrieval.py --data DIR --model DIR
"""

import argparse
import json
import pathlib

import sentence_transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.evaluation import (
    BinaryClassificationEvaluator,
    ParaphraseMiningEvaluator,
    TripletEvaluator,
)

SIMILARITIES = ["cosine", "dot", "euclidean", "manhattan"]
PAIRS, TRIPLETS = "senteval/MRPC/test.tsv", "nli_triplets/SNLI.dev.tsv"


def rows(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]


def plain(metrics):
    return {key: float(value) for key, value in metrics.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for option in ("--data", "--model"):
        parser.add_argument(option, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    model = SentenceTransformer(str(arguments.model), device="cpu")
    labels, first, second = zip(*rows(arguments.data / PAIRS))
    labels = [int(label) for label in labels]
    ids = {
        text: str(i)
        for i, text in enumerate(
            dict.fromkeys(text for pair in zip(first, second) for text in pair)
        )
    }
    duplicates = [
        (ids[a], ids[b]) for label, a, b in zip(labels, first, second) if label and a != b
    ]
    golden = {
        "made_with": {"sentence-transformers": sentence_transformers.__version__},
        "pairs": {
            "data": PAIRS,
            **plain(
                BinaryClassificationEvaluator(
                    first, second, labels, similarity_fn_names=SIMILARITIES
                )(model)
            ),
        },
        "triplets": {
            "data": TRIPLETS,
            **plain(
                TripletEvaluator(
                    *zip(*rows(arguments.data / TRIPLETS)), similarity_fn_names=SIMILARITIES
                )(model)
            ),
        },
        "paraphrases": {
            "data": PAIRS,
            **plain(
                ParaphraseMiningEvaluator(
                    {i: text for text, i in ids.items()}, duplicates, top_k=10
                )(model)
            ),
        },
    }
    pathlib.Path(__file__).with_name("real_retrieval.json").write_text(
        json.dumps(golden, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
