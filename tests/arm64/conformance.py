#!/usr/bin/env python3
"""Holds what conformance_c computed on two kinds of processor (result files of tests/conformance)
to be the same where no processor may differ.

    conformance.py OURS THEIRS

Token ids and their places, refusals word for word, and the files of a saved model are equal bit for
bit. Embeddings and trained weights differ in their last bits from one processor to the next: their
cases state them to 2e-5 and 2 %, which conformance_c has checked.
"""

import json
import sys
from collections import Counter


def read(path):
    with open(path) as file:
        return {line["case"]: line for line in map(json.loads, file)}


def fixed(line):
    return {key: value for key, value in line.items() if key != "sha256"}


ours, theirs = read(sys.argv[1]), read(sys.argv[2])
if not ours or ours.keys() != theirs.keys():
    sys.exit(f"{len(ours)} and {len(theirs)} cases, which are not the same ones")
kinds = Counter(name.split("/")[0] for name in ours)
different = [name for name in ours if fixed(ours[name]) != fixed(theirs[name])]
floats = sum(
    "sha256" in line and line["sha256"] == theirs[name]["sha256"] for name, line in ours.items()
)
total = sum("sha256" in line for line in ours.values())
for name in different[:20]:
    print(f"{name} differs:\n  {json.dumps(ours[name])[:300]}\n  {json.dumps(theirs[name])[:300]}")
print(
    ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    + f": {len(different)} differ; floats to the last bit too in {floats} of {total}"
)
sys.exit(1 if different else 0)
