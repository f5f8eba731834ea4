#!/usr/bin/env python3
"""Converts a test collection from SMART format to a BEIR folder.

`contrastive eval --task retrieval` reads the folder.

    smart_to_beir.py DOCUMENTS QUERIES JUDGEMENTS FOLDER

DOCUMENTS and QUERIES are files such as cran.all.1400 and cran.qry, or CISI.ALL and CISI.QRY. Their
records have .I (number), .T (title), .W (text) and other fields, which are ignored. JUDGEMENTS has
lines "query document ...". Queries are numbered by their order in the file, because the numbers in
cran.qry are not those of its judgements. A negative third column means that the document is not
relevant. If a text begins with its own title, the title is removed from the text, because
titles are used as training queries for their texts.
"""

import json
import pathlib
import sys


def records(path):
    found, field = [], None
    for line in pathlib.Path(path).read_text(encoding="latin-1").splitlines():
        if line.startswith(".I"):
            found.append({"id": line.split()[1], ".T": [], ".W": []})
            field = None
        elif line[:2] in (".T", ".A", ".B", ".W", ".X", ".K", ".N", ".C"):
            field = line[:2]
        elif field in (".T", ".W"):
            found[-1][field].append(line)
    return [
        {
            "id": r["id"],
            "title": " ".join(" ".join(r[".T"]).split()),
            "text": " ".join(" ".join(r[".W"]).split()),
        }
        for r in found
    ]


def main(documents, queries, judgements, folder):
    out = pathlib.Path(folder)
    (out / "qrels").mkdir(parents=True, exist_ok=True)
    known = set()
    with open(out / "corpus.jsonl", "w") as file:
        for r in records(documents):
            text = r["text"]
            if r["title"] and text.startswith(r["title"]):
                text = text[len(r["title"]) :].strip()
            if not text and not r["title"]:
                continue
            known.add(r["id"])
            file.write(json.dumps({"_id": r["id"], "title": r["title"], "text": text}) + "\n")
    pairs = set()
    for line in open(judgements):
        parts = line.split()
        if (
            len(parts) >= 2
            and not (len(parts) > 2 and parts[2].startswith("-"))
            and parts[1] in known
        ):
            pairs.add((int(parts[0]), parts[1]))
    judged = {query for query, _ in pairs}
    with open(out / "queries.jsonl", "w") as file:
        for number, r in enumerate(records(queries), 1):
            if number in judged:
                file.write(json.dumps({"_id": str(number), "text": r["text"]}) + "\n")
    with open(out / "qrels" / "test.tsv", "w") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for query, document in sorted(pairs):
            file.write(f"{query}\t{document}\t1\n")
    print(f"{folder}: {len(known)} documents, {len(judged)} queries, {len(pairs)} judgements")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
