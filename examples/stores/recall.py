#!/usr/bin/env python3
"""recall.py EXACT FOUND [AT LEAST]: the share of the ten nearest texts that a store has found.

EXACT is what `contrastive search --json` printed, one line a question. FOUND has lines of a
question's number and a passage's number, separated by tabs, as every program in this folder prints
them. Ends with 1 if the share is below AT LEAST, or if a question has not ten different hits."""

import json
import sys

exact = [{hit["id"] for hit in json.loads(line)["hits"]} for line in open(sys.argv[1])]
found = [[] for _ in exact]
for line in open(sys.argv[2]):
    question, passage = line.split("\t")[:2]
    found[int(question)].append(int(passage))
for question, (wanted, hits) in enumerate(zip(exact, found)):
    if len(wanted) != 10 or len(hits) != 10 or len(set(hits)) != 10:
        sys.exit(
            f"question {question} has {len(wanted)} exact hits and {len(hits)} hits, "
            f"{len(set(hits))} of them different: ten are needed"
        )
recall = sum(len(wanted.intersection(hits)) for wanted, hits in zip(exact, found)) / (
    10 * len(exact)
)
print(f"recall@10 {recall:.4f} over {len(exact)} questions")
if len(sys.argv) > 3 and recall < float(sys.argv[3]):
    sys.exit(f"recall@10 is below {sys.argv[3]}")
