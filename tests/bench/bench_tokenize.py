#!/usr/bin/env python3
"""Compares the speed of this library's tokenizers with Hugging Face `tokenizers`, on one thread. In
every round each runs once over each set of texts, and the figures are medians over the rounds.
Theirs is encode_batch_fast (ids without offsets), their fastest.

    bench_tokenize.py [--program build/release/bench_tokenize] [--rounds 5] NAME=FOLDER...
        -- SET=FILE...

FOLDER holds tokenizer.json; FILE has one text a line, SET names it. Prints megabytes a second of
both and the ratio.
"""

import argparse
import os
import statistics
import subprocess
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer  # noqa: E402


def theirs(tokenizer, lines, budget=0.3):
    best, begin = 1e9, time.perf_counter()
    while True:
        start = time.perf_counter()
        encodings = tokenizer.encode_batch_fast(lines)
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begin >= budget:
            return best, sum(len(e.ids) for e in encodings)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/bench_tokenize")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("items", nargs="+", help="NAME=FOLDER of a tokenizer, or SET=FILE of texts")
    options = parser.parse_args()
    items = [item.split("=", 1) for item in options.items]
    sets = [
        (name, path, open(path, encoding="utf-8", newline="\n").read().rstrip("\n").split("\n"))
        for name, path in items
        if os.path.isfile(path)
    ]
    for name, folder in items:
        if not os.path.isdir(folder):
            continue
        tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        ours = subprocess.Popen(
            [options.program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        print(f"{name}: MB/s, median (lowest-highest) of {options.rounds} rounds")
        times = {label: ([], []) for label, _, _ in sets}
        for _ in range(options.rounds):
            for label, path, lines in sets:
                ours.stdin.write(path + "\n")
                ours.stdin.flush()
                seconds, tokens, size = (float(x) for x in ours.stdout.readline().split())
                other_seconds, other_tokens = theirs(tokenizer, lines)
                assert tokens == other_tokens, f"{label}: {tokens} tokens, theirs {other_tokens}"
                times[label][0].append(size / seconds / 1e6)
                times[label][1].append(size / other_seconds / 1e6)
        for label, (mine, other) in times.items():
            ratio = statistics.median(mine) / statistics.median(other)
            spread = [
                f"{statistics.median(x):.1f} ({min(x):.1f}-{max(x):.1f})" for x in (mine, other)
            ]
            print(
                f"  {label:12} ours {spread[0]:>24}   theirs {spread[1]:>18}   ratio {ratio:.1f}",
                flush=True,
            )
        ours.stdin.close()
        ours.wait()


if __name__ == "__main__":
    main()
