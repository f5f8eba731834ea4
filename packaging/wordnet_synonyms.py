#!/usr/bin/env python3
"""Makes a table of synonyms for clear.synonyms from WordNet's data files (Debian: wordnet-base, in
/usr/share/wordnet).

    wordnet_synonyms.py WORDNET_FOLDER > synonyms.json
    wordnet_synonyms.py WORDNET_FOLDER --tokenizer MODEL_FOLDER > synonyms.txt

The first form is one JSON object, {"word": ["synonym", ...]}, which fits every model. The second
has a line of token ids for each word, "ids, candidate's ids, ...", for one model's vocabulary; it
needs the Python package `tokenizers` and a tokenizer.json in MODEL_FOLDER. Words of byte-level
vocabularies are written as they stand inside a text and as they stand at its beginning.

A word's synonyms are the other members of its synsets: those of its most frequent senses in every
part of speech, frequent senses first (--senses), at most --most of them. Words of several words
("ice cream") are left out unless --phrases is given.
"""

import argparse
import json
import re
import sys
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")


def read_synsets(path):
    """Offset -> words. A line: offset, file number, type, number of words (hexadecimal), then each
    word and its lexical id."""
    synsets = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("  "):
            continue  # the licence
        fields = line.split(" ")
        count = int(fields[3], 16)
        # Adjectives carry where they may stand: "afloat(p)".
        synsets[fields[0]] = [
            re.sub(r"\((a|p|ip)\)$", "", word).replace("_", " ")
            for word in fields[4 : 4 + 2 * count : 2]
        ]
    return synsets


def read_senses(path):
    """Lemma -> offsets of its synsets, most frequent first. A line ends in as many offsets as its
    third field says."""
    senses = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split()
        senses[fields[0].replace("_", " ")] = fields[-int(fields[2]) :]
    return senses


def synonyms(folder, senses, most, phrases):
    table = {}
    for part in PARTS:
        synsets = read_synsets(folder / f"data.{part}")
        for lemma, offsets in read_senses(folder / f"index.{part}").items():
            if " " in lemma and not phrases:
                continue
            found = table.setdefault(lemma, [])
            for offset in offsets[:senses]:
                for word in synsets[offset]:
                    same = word.lower() == lemma or word in found
                    if not same and (phrases or " " not in word):
                        found.append(word)
    return {lemma: found[:most] for lemma, found in sorted(table.items()) if found}


def id_lines(table, folder):
    try:
        from tokenizers import Tokenizer
    except ImportError:
        sys.exit(
            "wordnet_synonyms.py: --tokenizer needs the Python package "
            "tokenizers (pip install tokenizers)"
        )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    unknown = {tokenizer.token_to_id(token) for token in ("[UNK]", "<unk>")} - {None}

    def ids(text):
        found = tokenizer.encode(text, add_special_tokens=False).ids
        return [] if unknown & set(found) else found

    written = set()
    for word, candidates in table.items():
        for before in (" ", ""):
            key = ids(before + word)
            rest = [
                c for c in (ids(before + candidate) for candidate in candidates) if c and c != key
            ]
            if not key or not rest or tuple(key) in written:
                continue
            written.add(tuple(key))
            yield ", ".join(" ".join(map(str, item)) for item in [key] + rest)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where data.noun, index.noun, ... lie")
    parser.add_argument(
        "--senses", type=int, default=2, help="senses of a word in each part of speech (default 2)"
    )
    parser.add_argument("--most", type=int, default=8, help="synonyms of a word (default 8)")
    parser.add_argument("--phrases", action="store_true", help="words of several words too")
    parser.add_argument(
        "--tokenizer", type=Path, help="write token ids of the model in this folder"
    )
    options = parser.parse_args()
    missing = [
        f"{kind}.{part}"
        for kind in ("data", "index")
        for part in PARTS
        if not (options.folder / f"{kind}.{part}").is_file()
    ]
    if missing:
        sys.exit(
            f"wordnet_synonyms.py: {options.folder} has no {missing[0]}: is this WordNet's "
            f"folder (apt install wordnet-base)?"
        )
    table = synonyms(options.folder, options.senses, options.most, options.phrases)
    if options.tokenizer:
        for line in id_lines(table, options.tokenizer):
            print(line)
    else:
        json.dump(table, sys.stdout, ensure_ascii=False, indent=0, separators=(",", ": "))
        print()


if __name__ == "__main__":
    main()
