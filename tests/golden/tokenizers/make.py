#!/usr/bin/env python3
"""Writes golden.json and pipelines.json: what Hugging Face `tokenizers` makes of the project's own
text (texts.py), for the test that needs no Python. Committed; run it again only when texts,
fixtures or the pinned version of the library change:

    python tests/golden/tokenizers/make.py
"""

import base64
import json
import random
import tempfile
from pathlib import Path

import tokenizers

import pipelines
import texts
from compare import FIXTURES, decode, theirs
from configurations import configurations

# Names as configurations.py gives them, and which text they see.
CHOSEN = [
    "vocab.txt, uncased",
    "vocab.txt, cased",
    "tokenizer.json, NFD, lower case, StripAccents",
    "tokenizer.json, added tokens",
    "vocab.json + merges.txt",
    "vocab.json + merges.txt, prefix space",
    "byte-level tokenizer.json, added tokens",
]
MAIN = ["vocab.txt, uncased", "vocab.json + merges.txt"]


def row(tokenizer, max_length, a, b):
    (text_a, starts_a), (text_b, starts_b) = decode(a), decode(b or "")
    arguments = (text_a,) if b is None else (text_a, text_b)
    tokenizer.no_truncation()
    full_length = len(tokenizer.encode(*arguments).ids)
    if max_length:
        tokenizer.enable_truncation(max_length)
    ids, type_ids, begins, ends, _ = theirs(
        tokenizer.encode(*arguments), starts_a, starts_b, full_length
    )
    return [max_length, a, b, ids, begins, ends, type_ids.count(1), full_length]


def requests(rng, is_main):
    """(max_length, a, b or None)"""
    sentences = [s for s in texts.SENTENCES if len(s) < 320]
    chosen = sentences if is_main else rng.sample(sentences, 13)
    result = [(0, s, None) for s in chosen]
    result += [
        (0, s, None) for s in texts.generated(24 if is_main else 8, rng.randrange(1 << 30))[0]
    ]
    malformed = texts.MALFORMED if is_main else rng.sample(texts.MALFORMED, 4)
    result += [(0, s, None) for s in malformed]
    short = [s for s in sentences if len(s) < 120]
    result += [
        (
            rng.randint(4, 24),
            rng.choice(short),
            rng.choice([None, rng.choice(short), rng.choice(short)]),
        )
        for _ in range(30 if is_main else 8)
    ]
    return result


def rows_of(tokenizer, chosen):
    rows = []
    for max_length, a, b in chosen:
        made = row(tokenizer, max_length, a, b)
        made[1] = {"bytes": base64.b16encode(a).decode()} if isinstance(a, bytes) else a
        rows.append(made)
    return rows


def write(name, blocks):
    golden = {
        "tokenizers": tokenizers.__version__,
        "row": "max_length, a, b, ids, begins, ends, ids in segment 1, full length",
        "blocks": blocks,
    }
    path = Path(__file__).with_name(name)
    path.write_text(
        json.dumps(golden, ensure_ascii=True, separators=(",", ":"))
        .replace("[[", "[\n[")
        .replace("],[0,", "],\n[0,")
        + "\n"
    )
    print(path, path.stat().st_size)


def pipeline_blocks(rng, count):
    """Pipelines drawn at random, two of each model at most, with their vocabularies."""
    blocks, models = [], []
    for name, tokenizer in pipelines.pipelines(40):
        kind = name.split(": ")[1].split(",")[0]
        if (
            len(blocks) == count
            or models.count(kind) == 2
            or tokenizer.normalizer is None
            or tokenizer.pre_tokenizer is None
        ):
            continue
        models.append(kind)
        document = json.loads(tokenizer.to_str())
        chosen = [
            request
            for request in requests(rng, False)
            if pipelines.those_it_can(tokenizer, [x for x in request[1:] if x is not None])
            == [x for x in request[1:] if x is not None]
        ]
        blocks.append(
            {"name": name, "tokenizer_json": document, "rows": rows_of(tokenizer, chosen)}
        )
    return blocks


def main():
    rng = random.Random(11)
    blocks = []
    with tempfile.TemporaryDirectory() as work:
        files = [
            FIXTURES / "wordpiece.vocab.txt",
            FIXTURES / "byte_bpe.vocab.json",
            FIXTURES / "byte_bpe.merges.txt",
        ]
        for name, folder, tokenizer, _ in configurations(Path(work), "own", *files):
            label = name.split(": ", 1)[1]
            if label not in CHOSEN:
                continue
            rows = rows_of(tokenizer, requests(rng, label in MAIN))
            # The folder's files, but for the vocabularies, which lie in the fixtures.
            json_file, config = folder / "tokenizer.json", folder / "tokenizer_config.json"
            document = json.loads(json_file.read_text()) if json_file.exists() else None
            if document:
                document["model"].update(vocab={}, merges=[]) if "merges" in document[
                    "model"
                ] else document["model"].update(vocab={})
            blocks.append(
                {
                    "name": label,
                    "tokenizer_json": document,
                    "tokenizer_config": json.loads(config.read_text()) if config.exists() else {},
                    "rows": rows,
                }
            )
    write("golden.json", blocks)
    write("pipelines.json", pipeline_blocks(random.Random(13), 8))


if __name__ == "__main__":
    main()
