#!/usr/bin/env python3
"""Holds the embeddings of two builds of the command line program to be the same but for their last
bits.

    vectors.py OURS THEIRS COLUMNS LARGEST

OURS and THEIRS are files of raw float32, rows of COLUMNS numbers. Says how far the numbers and the
rows' directions are apart; a number further than LARGEST is a failure.
"""

import array
import math
import sys


def rows(path, columns):
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    if not values or len(values) % columns:
        sys.exit(f"{path} holds {len(values)} numbers, which is not a multiple of {columns}")
    return [values[i : i + columns] for i in range(0, len(values), columns)]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(
        sum(x * x for x in a) * sum(y * y for y in b)
    )


ours, theirs, columns, largest = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
a, b = rows(ours, columns), rows(theirs, columns)
if len(a) != len(b):
    sys.exit(f"{len(a)} rows and {len(b)}")
apart = [max(abs(x - y) for x, y in zip(p, q)) for p, q in zip(a, b)]
if not all(math.isfinite(x) for x in apart):
    sys.exit("a number is not finite")
print(
    f"{len(a)} texts, at most {max(apart):.1e} apart, cosine at least {min(map(cosine, a, b)):.7f}"
)
if max(apart) > largest:
    sys.exit(f"more than {largest:g} apart")
