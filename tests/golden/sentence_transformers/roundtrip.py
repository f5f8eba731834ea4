#!/usr/bin/env python3
"""Proves that a folder saved by libcontrastive loads in the real sentence-transformers with equal
embeddings.

    contrastive encode --model SAVED --input texts.txt --output ours.npy
    python roundtrip.py SAVED texts.txt ours.npy [SAVED2 texts2.txt ours2.npy ...]

texts.txt holds one text a line. A folder without .npy of ours ("-") is compared with ORIGINAL
instead, the folder that it was saved from:

    python roundtrip.py --original ORIGINAL SAVED texts.txt -

Also loads every folder with transformers (AutoModel), which must find every weight. Exits 1 when
any value differs by more than --tolerance.
"""

import argparse
import sys

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModel


def embed(folder, texts):
    model = SentenceTransformer(folder, device="cpu")
    return model.encode(texts, batch_size=16, show_progress_bar=False).astype(np.float64)


def check_transformers(folder):
    _, info = AutoModel.from_pretrained(folder, output_loading_info=True)
    problems = {kind: sorted(names) for kind, names in info.items() if names}
    missing = [
        n for n in problems.pop("missing_keys", []) if not n.startswith(("pooler.", "decoder."))
    ]  # legal: a model without pooler, an encoder alone
    return [*missing, *map(str, problems.items())]


def compare(folder, text_file, npy, original, tolerance):
    with open(text_file, encoding="utf-8", newline="\n") as file:
        texts = [line.rstrip("\n") for line in file]
    theirs = embed(folder, texts)
    ours = np.load(npy).astype(np.float64) if npy != "-" else embed(original, texts)
    problems = check_transformers(folder)
    if theirs.shape != ours.shape:
        problems.append(f"shapes {theirs.shape} and {ours.shape}")
    difference = float(np.abs(theirs - ours).max()) if theirs.shape == ours.shape else float("inf")
    good = difference <= tolerance and not problems
    verdict = "ok  " if good else "FAIL"
    print(
        f"{verdict} {folder}: {len(texts)} texts x {theirs.shape[1]}, largest difference "
        f"{difference:.2e}",
        *problems,
        sep="\n     ",
    )
    return good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("triples", nargs="+", metavar="FOLDER TEXTS NPY")
    parser.add_argument("--original", help="the folder to compare with where NPY is -")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    arguments = parser.parse_args()
    if len(arguments.triples) % 3 != 0:
        parser.error("folder, text file and .npy are needed, three by three")
    torch.set_num_threads(1)
    triples = [arguments.triples[i : i + 3] for i in range(0, len(arguments.triples), 3)]
    results = [compare(*triple, arguments.original, arguments.tolerance) for triple in triples]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
