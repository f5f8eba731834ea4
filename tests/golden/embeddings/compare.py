#!/usr/bin/env python3
"""Compares this library's embeddings with sentence-transformers'.

    compare.py texts  --from FOLDER --count 10000 --output texts.txt
        Writes texts of many lengths and scripts: lines of the files below FOLDER, or generated ones
        without --from.
    compare.py check  --model DIR --texts texts.txt --embeddings ours.npy
        Encodes the texts with sentence-transformers, prints the largest difference, and fails if it
        is above --limit (1e-5).
    compare.py golden --model DIR --output minilm.json
        Writes the small golden file of this folder.

`ours.npy` comes from:  contrastive encode --model DIR --input texts.txt --output ours.npy
Needs sentence-transformers (the golden file was made with 6.2.0 on torch 2.11.0).
"""

import argparse
import json
import pathlib
import random
import sys

import numpy

WORDS = (
    "the a cat dog river stone light of in under runs sees über naïve 東京 город שלום مرحبا 😀 "
    "e\u0301 don't 3.14 C++ long-term "
    "http://x.org"
).split()


def generated(count):
    """Texts of 0 to 120 words, the same on every machine."""
    rng = random.Random(7)
    return [
        " ".join(rng.choices(WORDS, k=rng.choice([0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 120])))
        for _ in range(count)
    ]


def lines_below(folder, count):
    """Lines drawn evenly from every text file below `folder`, tabs made spaces."""
    rng = random.Random(7)
    lines = []
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and path.suffix in (".txt", ".tsv"):
            of_file = [
                " ".join(line.split())
                for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
            ]
            lines += rng.sample(of_file, min(len(of_file), 400))
    rng.shuffle(lines)
    return lines[:count]


def reference(model, texts, **options):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(model, device="cpu").encode(
        texts, show_progress_bar=False, **options
    )


def check(arguments):
    texts = pathlib.Path(arguments.texts).read_text(encoding="utf-8").split("\n")[:-1]
    ours = numpy.load(arguments.embeddings)
    theirs = reference(arguments.model, texts, batch_size=32)
    if ours.shape != theirs.shape:
        sys.exit(f"shapes differ: ours {ours.shape}, sentence-transformers {theirs.shape}")
    difference = numpy.abs(ours - theirs).max(axis=1)
    worst = int(difference.argmax())
    print(
        f"{len(texts)} texts: largest difference {difference.max():.3g}, mean of each text's "
        f"largest {difference.mean():.3g}; "
        f"worst text {worst}: {texts[worst][:80]!r}"
    )
    sys.exit(0 if difference.max() <= arguments.limit else 1)


def golden(arguments):
    texts = generated(56) + ["", " ", "\u200d", "word " * 400]
    embeddings = reference(arguments.model, texts, batch_size=1)
    rows = [[float(f"{x:.7g}") for x in row] for row in embeddings[:, ::8]]
    with open(arguments.output, "w", encoding="ascii") as file:
        json.dump(
            {
                "about": "sentence-transformers' embeddings by all-MiniLM-L6-v2, every eighth "
                "dimension; written by compare.py golden",
                "every": 8,
                "texts": texts,
                "embeddings": rows,
            },
            file,
            separators=(",", ":"),
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    texts = commands.add_parser("texts")
    texts.add_argument("--from", dest="folder")
    texts.add_argument("--count", type=int, default=10000)
    texts.add_argument("--output", required=True)
    checked = commands.add_parser("check")
    for name in ("--model", "--texts", "--embeddings"):
        checked.add_argument(name, required=True)
    checked.add_argument("--limit", type=float, default=1e-5)
    written = commands.add_parser("golden")
    for name in ("--model", "--output"):
        written.add_argument(name, required=True)
    arguments = parser.parse_args()
    if arguments.command == "texts":
        chosen = (
            lines_below(arguments.folder, arguments.count)
            if arguments.folder
            else generated(arguments.count)
        )
        pathlib.Path(arguments.output).write_text(
            "".join(line + "\n" for line in chosen), encoding="utf-8"
        )
    else:
        {"check": check, "golden": golden}[arguments.command](arguments)


if __name__ == "__main__":
    main()
