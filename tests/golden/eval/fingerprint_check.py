#!/usr/bin/env python3
"""Checks fingerprint.py without bert-base-uncased. It uses another model, with random weights in
the shape of BERT-base (or --model), and data in the layout of SentEval, made from plain TSV files.
fingerprint.py must run to its end, its figures must be those that transformers' BertModel and SciPy
give for the same pairs, it must say that they are not the published ones and exit with 1, and with
a limit above the difference exit with 0.

    fingerprint_check.py --data DIR --vocabulary FILE [--model DIR] [--layers 12] [--pairs 60]
        [--program build/release/contrastive]

--data holds sts/{STS12,STS14,STS15,STSB,SICK}/*.tsv of lines "score TAB sentence TAB sentence"
(examples/data/README.md); what fingerprint.py wants besides, STS13 and STS16, is put together from
files of the others under other names. Of each file the first --pairs lines are taken. --vocabulary
is bert-base-uncased's vocab.txt. Needs torch, transformers, scipy, numpy.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import scipy.stats
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

import fingerprint

YEARS = {
    "STS12": "STS12",
    "STS13": "STS14",
    "STS14": "STS14",
    "STS15": "STS15",
    "STS16": "STS15",
}  # and where its files are taken from
PARTS = {"STS13": ("headlines", "OnWN"), "STS16": ("headlines", "belief")}  # of those
TOLERANCE = 0.02  # of figures that are printed with two digits and may rank near ties otherwise


def read(path, most):
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line][
        :most
    ]
    return [(float(row[0]), row[1], row[2]) for row in rows]


def lay_out(source, target, most):
    """Writes SentEval's layout; what is in it, {set: [pairs of all its files]}."""
    sets = {}
    for name, taken in YEARS.items():
        folder = target / "STS" / f"{name}-en-test"
        folder.mkdir(parents=True)
        for path in sorted((source / taken).glob("*.tsv")):
            if name in PARTS and path.stem not in PARTS[name]:
                continue
            pairs = read(path, most)
            start = "STS2016" if name == "STS16" else "STS"
            (folder / f"{start}.input.{path.stem}.txt").write_text(
                "".join(f"{a}\t{b}\n" for _, a, b in pairs), encoding="utf-8"
            )
            (folder / f"{start}.gs.{path.stem}.txt").write_text(
                "".join(f"{score}\n" for score, _, _ in pairs)
            )
            sets.setdefault(name, []).extend(pairs)
    benchmark, sick = target / "STS" / "STSBenchmark", target / "SICK"
    benchmark.mkdir()
    sick.mkdir()
    for split, sick_name in (("train", "train"), ("dev", "trial"), ("test", "test_annotated")):
        pairs, others = (
            read(source / "STSB" / f"{split}.tsv", most),
            read(source / "SICK" / f"{split}.tsv", most),
        )
        rows = [
            f"genre\tfile\tyear\t{i}\t{score}\t{a}\t{b}\n" for i, (score, a, b) in enumerate(pairs)
        ]
        (benchmark / f"sts-{split}.csv").write_text("".join(rows), encoding="utf-8")
        rows = [f"{i}\t{a}\t{b}\t{score}\tNEUTRAL\n" for i, (score, a, b) in enumerate(others)]
        header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
        (sick / f"SICK_{sick_name}.txt").write_text(header + "".join(rows), encoding="utf-8")
        if split == "test":
            sets["STSBenchmark"], sets["SICK"] = pairs, others
    return sets


def random_bert(folder, vocabulary, layers):
    torch.manual_seed(1)
    BertModel(BertConfig(num_hidden_layers=layers)).save_pretrained(folder)
    (folder / "vocab.txt").write_bytes(vocabulary.read_bytes())
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "BertTokenizer", "do_lower_case": true, "model_max_length": 512}'
    )
    return str(folder)


@torch.no_grad()
def expected(model_folder, sets):
    """{pooling: [Spearman x 100 of each set]}, a sentence at a time."""
    tokenizer, model = (
        AutoTokenizer.from_pretrained(model_folder),
        AutoModel.from_pretrained(model_folder).eval(),
    )
    vectors = {}
    for text in {text for pairs in sets.values() for _, *both in pairs for text in both}:
        states = model(
            **tokenizer(text, return_tensors="pt", truncation=True, max_length=512),
            output_hidden_states=True,
        ).hidden_states
        last, before = states[-1][0].double(), states[-2][0].double()
        vectors[text] = {
            "mean": last.mean(0),
            "last2": (last.mean(0) + before.mean(0)) / 2,
            "cls": last[0],
        }
    result = {}
    for pooling in fingerprint.PUBLISHED:
        figures = []
        for name in fingerprint.SETS:
            gold, first, second = zip(*sets[name])
            cosines = [
                float(torch.cosine_similarity(vectors[a][pooling], vectors[b][pooling], 0))
                for a, b in zip(first, second)
            ]
            figures.append(100 * float(scipy.stats.spearmanr(gold, np.round(cosines, 9))[0]))
        result[pooling] = figures
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--vocabulary", type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--program", default="build/release/contrastive")
    arguments = parser.parse_args()
    if not arguments.model and not arguments.vocabulary:
        parser.error("--model or --vocabulary is needed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = arguments.model or random_bert(
            folder / "model", arguments.vocabulary, arguments.layers
        )
        sets = lay_out(arguments.data / "sts", folder / "downstream", arguments.pairs)

        def run(*more):
            command = [
                sys.executable,
                fingerprint.__file__,
                "--model",
                model,
                "--data",
                str(folder / "downstream"),
                "--program",
                arguments.program,
            ]
            return subprocess.run([*command, *more], capture_output=True, text=True)

        done = run()
        print(done.stdout, end="")
        if done.returncode != 1 or "NOT the published figures" not in done.stdout:
            sys.exit(
                f"fingerprint.py exited with {done.returncode} and did not report a mismatch: "
                f"{done.stderr}"
            )
        wanted, worst = expected(model, sets), 0.0
        for pooling, row in wanted.items():
            printed = [
                float(x)
                for x in re.search(rf"^{pooling} +(.*)$", done.stdout, re.M).group(1).split()
            ][0::2]
            print(
                f"{pooling:10} "
                + " ".join(f"{a:6.2f} {b:5.2f}" for a, b in zip(printed, row))
                + "   printed, and by transformers and SciPy"
            )
            worst = max(worst, *(abs(a - b) for a, b in zip(printed, row)))
        largest = max(
            abs(a - b)
            for pooling, row in wanted.items()
            for a, b in zip(row, fingerprint.PUBLISHED[pooling])
        )
        said = float(re.search(r"the largest difference is ([0-9.]+)", done.stdout).group(1))
        loose = run("--limit", str(largest + 1))
    print(
        f"{sum(map(len, sets.values()))} pairs: the largest difference between printed and "
        f"recomputed figures is {worst:.3f}; of the largest "
        f"difference to the published ones {abs(said - largest):.3f}; with a limit above it "
        f"fingerprint.py exits with {loose.returncode}"
    )
    sys.exit(
        0
        if worst <= TOLERANCE and abs(said - largest) <= TOLERANCE and loose.returncode == 0
        else 1
    )


if __name__ == "__main__":
    main()
