#!/usr/bin/env python3
"""compare.py EXPECTED FOUND: the conformance cases of two platforms.

Token ids, vectors and saved files must be equal bit for bit, and errors must have the same status
(their texts contain what a system says). FOUND marks the cases that need LibTorch, where there is
none.
"""

import collections
import json
import pathlib
import sys


def lines_of(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return {line["case"]: line for line in lines}


def main():
    expected, found = map(lines_of, sys.argv[1:])
    equal, failed = collections.Counter(), []
    for case, line in expected.items():
        kind = case.split("/")[0]
        if kind == "train" and case not in found:
            equal["train, not there"] += 1
            continue
        other = dict(found.get(case, {}))
        if "left_out" in other:
            equal[other["left_out"]] += 1
            continue
        if kind == "error":
            line, other = line["status"], other.get("status")
        if line == other:
            equal[kind] += 1
        else:
            failed.append(f"{case}: {line} here, {other} there")
    print(", ".join(f"{kind}: {number}" for kind, number in sorted(equal.items())))
    if failed or not equal["encode"] or not equal["tokenize"]:
        sys.exit("\n".join(failed) or "no case was compared")


if __name__ == "__main__":
    main()
