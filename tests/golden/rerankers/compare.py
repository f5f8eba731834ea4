#!/usr/bin/env python3
"""What compare.sh has gathered in WORK: NAME.jsonl (pairs), NAME.scores (of `contrastive rerank
--json`), saved/NAME (folders that the library saved)."""

import json
import sys
from pathlib import Path

from sentence_transformers import CrossEncoder

work, worst = Path(sys.argv[1]), 0.0
for scores in sorted(work.glob("*.scores")):
    name = scores.stem
    pairs = [
        (row["a"], row["b"])
        for row in map(json.loads, (work / f"{name}.jsonl").read_text().splitlines())
    ]
    ours = []
    for row in map(json.loads, scores.read_text().splitlines()):
        ours.append(
            list(row["score"].values()) if isinstance(row["score"], dict) else [row["score"]]
        )
    theirs = (
        CrossEncoder(str(work / "saved" / name), device="cpu", local_files_only=True)
        .predict(pairs)
        .reshape(len(pairs), -1)
        .tolist()
    )
    assert len(ours) == len(theirs) and len(ours[0]) == len(theirs[0]), name
    difference = max(abs(a - b) for mine, other in zip(ours, theirs) for a, b in zip(mine, other))
    print(f"{name}: {len(pairs)} pairs, largest difference {difference:.2g}")
    worst = max(worst, difference)
assert worst <= 1e-5, worst
