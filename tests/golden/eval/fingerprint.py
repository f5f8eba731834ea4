#!/usr/bin/env python3
"""The self-check of the whole pipeline on bert-base-uncased: published rows of STS12-16, STS-B and
SICK-R that tokenizer, encoder, pooling, file readers and aggregation must all be right to give
(ConSERT and SG-OPT, core/torch/methods/README.md 5; Spearman x 100, aggregation "all").

    fingerprint.py --model bert-base-uncased --data SentEval/data/downstream
        [--program build/release/contrastive] [--limit 0.05]

--data holds STS/STS12-en-test to STS16-en-test, STS/STSBenchmark and SICK, as SentEval's download
script lays them out. Each row is one
    contrastive eval --model DIR --pooling mean --task sts --data DIR
Prints every row beside the published one, says whether they match, and exits with 1 where a figure
is further away than --limit. That this script itself finds what it should is checked by
fingerprint_check.py, without that checkpoint.
"""

import argparse
import json
import math
import subprocess
import sys

SETS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSBenchmark", "SICK")
PUBLISHED = {
    "mean": (30.87, 59.89, 47.73, 60.29, 63.73, 47.29, 58.22),
    "last2": (35.20, 59.53, 49.37, 63.39, 62.73, 48.18, 58.60),
    "cls": (21.54, 32.11, 21.28, 37.89, 44.24, 20.30, 42.42),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument(
        "--limit",
        type=float,
        default=0.05,
        help="the papers print two digits, and their batches are padded",
    )
    arguments = parser.parse_args()
    worst = 0.0
    print(f"{'pooling':10} " + " ".join(f"{name:>12}" for name in SETS))
    for pooling, row in PUBLISHED.items():
        command = [
            arguments.program,
            "eval",
            "--model",
            arguments.model,
            "--pooling",
            pooling,
            "--task",
            "sts",
            "--data",
            arguments.data,
            "--json",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
        sets = json.loads(done.stdout).get("sets", {})
        missing = [name for name in SETS if name not in sets]
        if missing:
            sys.exit(
                f"{arguments.data}: no data set {', '.join(missing)} in it (found: "
                f"{', '.join(sets)})"
            )
        all_pairs = [sets[name]["spearman"]["all"] for name in SETS]
        found = [math.nan if figure is None else 100 * figure for figure in all_pairs]
        worst = max(worst, *(math.inf if math.isnan(a) else abs(a - b) for a, b in zip(found, row)))
        print(
            f"{pooling:10} " + " ".join(f"{a:6.2f} {b:5.2f}" for a, b in zip(found, row)),
            flush=True,
        )
    matches = worst <= arguments.limit
    print(
        f"found and published; the largest difference is {worst:.2f}: these are "
        f"{'' if matches else 'NOT '}the published figures "
        f"(limit {arguments.limit:g})"
    )
    sys.exit(0 if matches else 1)


if __name__ == "__main__":
    main()
