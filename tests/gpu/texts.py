#!/usr/bin/env python3
"""Writes the texts that tests/gpu measures with: the same ones on every machine.

    texts.py FOLDER      short.txt, mixed.txt, long.txt and single20.txt, a text a line

Words are drawn from a vocabulary's, frequent ones first as in a language, so that a tokenizer of
English takes about one token a word. The lengths are those of sentences (short, single20), of what
is searched in (mixed) and of paragraphs (long).
"""

import math
import pathlib
import random
import sys

WORDS = (
    pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "tokenizers" / "wordpiece.vocab.txt"
)
SETS = {  # name: how many texts, median words, spread of the logarithm, most words
    "short": (16384, 9, 0.35, 24),
    "mixed": (8192, 22, 0.8, 200),
    "long": (2048, 180, 0.15, 240),
    "single20": (200, 13, 0.35, 24),
}


def texts(name):
    count, median, spread, most = SETS[name]
    words = [
        word
        for word in WORDS.read_text(encoding="utf-8").split()
        if word.isascii() and word.isalpha() and 1 < len(word) < 14
    ]
    cumulative, total = [], 0.0
    for rank in range(len(words)):
        total += 1 / (rank + 2.7)
        cumulative.append(total)
    draw = random.Random(f"tests/gpu, {name}")
    for _ in range(count):
        length = min(most, max(3, round(median * math.exp(draw.gauss(0, spread)))))
        yield " ".join(draw.choices(words, cum_weights=cumulative, k=length)).capitalize() + "."


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        (folder / f"{name}.txt").write_text(
            "".join(f"{text}\n" for text in texts(name)), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
