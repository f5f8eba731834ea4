#!/usr/bin/env python3
"""Compares this library's token ids, segments, offsets and lengths with Hugging Face `tokenizers`,
text by text.

    compare.py DUMP_PROGRAM [--data FOLDER] [--minilm FOLDER]

Generated Unicode and the project's own sentences always; the real vocabularies and texts of FOLDER
where it is given. compare.sh calls it. Ends with "N passed, M failed" (a text under one tokenizer
is one comparison) and exit status 1 if M > 0.
"""

import argparse
import array
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tokenizers import Tokenizer

import pipelines
import sentencepiece_bpe
import texts
from configurations import configurations

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "tokenizers"
SHOWN = 3  # differences printed in full, of each tokenizer


def decode(data):
    """Python's errors="replace", and where each character of the result begins in the bytes."""
    if isinstance(data, str):
        starts, at = [0], 0
        for c in data:
            at += len(c.encode())
            starts.append(at)
        return data, starts
    text, starts, at = [], [0], 0
    while at < len(data):
        try:
            rest = data[at:].decode()
            bad = bad_end = len(data)
        except UnicodeDecodeError as error:
            rest, bad, bad_end = (
                data[at : at + error.start].decode(),
                at + error.start,
                at + error.end,
            )
        for c in rest:
            at += len(c.encode())
            starts.append(at)
        text.append(rest)
        if bad < len(data):
            text.append("\ufffd")
            starts.append(bad_end)
            at = bad_end
    joined = "".join(text)
    assert joined == data.decode(errors="replace")
    return joined, starts


class Ours:
    """This library's tokenizer of one folder, in a process that answers requests."""

    def __init__(self, program, folder):
        self.name = f"{program} {folder}"
        self.process = subprocess.Popen(
            [program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __call__(self, requests):
        """[(max_length, a, b or None)] -> [(ids, type_ids, begins, ends, full_length)]"""
        writer = threading.Thread(target=self.write, args=(requests,))
        writer.start()
        results = []
        for _ in requests:
            count, full_length = struct.unpack("<qq", self.read(16))
            body, at, arrays = self.read(24 * count), 0, []
            for code, size in (("i", 4), ("i", 4), ("q", 8), ("q", 8)):
                values = array.array(code)
                values.frombytes(body[at : at + size * count])
                at += size * count
                arrays.append(values.tolist())
            results.append((*arrays, full_length))
        writer.join()
        return results

    def write(self, requests):
        try:
            for max_length, a, b in requests:
                a, b = (x if x is None or isinstance(x, bytes) else x.encode() for x in (a, b))
                self.process.stdin.write(
                    struct.pack("<qqq", max_length, len(a), -1 if b is None else len(b))
                    + a
                    + (b or b"")
                )
            self.process.stdin.write(struct.pack("<qqq", -1, 0, -1))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the reader reports how the process ended

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) != size:
            sys.exit(
                f"compare.py: {self.name} ended with {self.process.wait()} (3: append and encode "
                f"disagree)"
            )
        return data

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def theirs(encoding, starts_a, starts_b, full_length):
    begins, ends = [], []
    for (begin, end), special, sequence in zip(
        encoding.offsets, encoding.special_tokens_mask, encoding.sequence_ids
    ):
        # An encoding without a post-processor knows no sequence for its tokens: it has none but the
        # first.
        starts = starts_b if sequence == 1 else starts_a
        begins.append(-1 if special else starts[begin])
        ends.append(-1 if special else starts[end])
    return encoding.ids, encoding.type_ids, begins, ends, full_length


class Comparison:
    def __init__(self):
        self.passed, self.failed, self.shown = 0, 0, {}

    def check(self, name, request, mine, reference):
        if mine == reference:
            self.passed += 1
            return
        self.failed += 1
        self.shown[name] = self.shown.get(name, 0) + 1
        if self.shown[name] <= SHOWN:
            what = [
                label
                for label, x, y in zip(
                    ("ids", "segments", "begins", "ends", "length"), mine, reference
                )
                if x != y
            ]
            print(f"  {name}: {', '.join(what)} differ for {str(request)[:300]}")
            for label, x, y in zip(
                ("ids", "segments", "begins", "ends", "length"), mine, reference
            ):
                if x != y:
                    print(f"    {label}: {str(x)[:400]}\n    theirs: {str(y)[:400]}")

    def singles(self, name, mine, tokenizer, lines):
        for at in range(0, len(lines), 20000):
            part = lines[at : at + 20000]
            results = mine([(0, line, None) for line in part])
            decoded = [decode(line) for line in part]
            encodings = tokenizer.encode_batch([text for text, _ in decoded])
            for line, result, (_, starts), encoding in zip(part, results, decoded, encodings):
                self.check(name, line, result, theirs(encoding, starts, starts, len(encoding.ids)))

    def truncated(self, name, mine, tokenizer, lines, rng, count):
        """Single texts and pairs, cut to every small length."""
        special = tokenizer.num_special_tokens_to_add(True)
        for _ in range(count):
            max_length = rng.randint(special + 1, 40)
            requests = [
                (max_length, rng.choice(lines), rng.choice(lines) if i % 4 else None)
                for i in range(60)
            ]
            for request, result in zip(requests, mine(requests)):
                (a, starts_a), (b, starts_b) = decode(request[1]), decode(request[2] or "")
                arguments = (a,) if request[2] is None else (a, b)
                tokenizer.no_truncation()
                full_length = len(tokenizer.encode(*arguments).ids)
                tokenizer.enable_truncation(max_length)
                self.check(
                    name,
                    request,
                    result,
                    theirs(tokenizer.encode(*arguments), starts_a, starts_b, full_length),
                )
        tokenizer.no_truncation()


def data_lines(folder, rng):
    """At least 20,000 lines: every language of sts_multi in full, and as many of the
    encyclopaedia."""
    lines = []
    for path in sorted(Path(folder).glob("sts_multi/*/test.tsv")) + sorted(
        Path(folder).glob("sts_multi/*/dev.tsv")
    ):
        lines += [
            line.rstrip("\n")
            for line in open(path, encoding="utf-8", errors="replace", newline="\n")
        ]
    for path in Path(folder).glob("wiki/*.txt"):
        wiki = (
            open(path, encoding="utf-8", errors="replace", newline="\n").read(16 << 20).split("\n")
        )
        lines += rng.sample(wiki, min(8000, len(wiki)))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--data", help="a folder with vocab/, sts_multi/ and wiki/")
    parser.add_argument("--minilm", help="the folder of all-MiniLM-L6-v2")
    parser.add_argument("--only", default="", help="tokenizers whose name has this in it")
    options = parser.parse_args()
    rng = random.Random(20)
    own = texts.SENTENCES + texts.MALFORMED
    text_lines, byte_lines = texts.generated(2500, 7)
    every = [texts.in_context(c) for c in texts.assigned_code_points()]
    most = [
        texts.in_context(c)
        for c in texts.assigned_code_points()
        if not texts.is_uniform(c) or c % 16 == 0
    ]
    comparison = Comparison()

    def run(name, folder, tokenizer, lines, with_huge):
        if options.only not in name:
            return
        begin, failed = time.time(), comparison.failed
        tokenizer.no_padding()
        tokenizer.no_truncation()
        mine = Ours(options.program, folder)
        comparison.singles(name, mine, tokenizer, lines)
        if with_huge:
            comparison.singles(name, mine, tokenizer, texts.huge())
        comparison.truncated(
            name,
            mine,
            tokenizer,
            lines if "pipeline" in name else own + text_lines[:500],
            rng,
            1 if "pipeline" in name else 4,
        )
        mine.close()
        print(
            f"{name}: {len(lines)} texts, {comparison.failed - failed} differences, "
            f"{time.time() - begin:.1f} s",
            flush=True,
        )

    with tempfile.TemporaryDirectory() as work:
        fixtures = [
            FIXTURES / "wordpiece.vocab.txt",
            FIXTURES / "byte_bpe.vocab.json",
            FIXTURES / "byte_bpe.merges.txt",
        ]
        for name, folder, tokenizer, is_main in configurations(Path(work), "own", *fixtures):
            code_points = (
                (every if name.endswith("vocab.txt, uncased") else most)
                if is_main
                else rng.sample(every, 3000)
            )
            run(name, folder, tokenizer, own + text_lines + byte_lines + code_points, is_main)
        few_texts, few_bytes = texts.generated(300, 11)
        for name, tokenizer in pipelines.pipelines(120):
            folder = Path(work) / name.split(":")[0]
            folder.mkdir()
            tokenizer.save(str(folder / "tokenizer.json"))
            run(
                name,
                folder,
                tokenizer,
                pipelines.those_it_can(tokenizer, own + few_texts + few_bytes),
                False,
            )
        learnt = pipelines.Vocabularies().bpe[0]
        for name, folder, tokenizer in sentencepiece_bpe.configurations(
            Path(work), sorted(learnt, key=learnt.get)
        ):
            run(name, folder, tokenizer, own + text_lines + byte_lines, True)
        real = data_lines(options.data, rng) if options.data else []
        if options.data:
            vocab = Path(options.data) / "vocab"
            files = [
                vocab / "bert-base-uncased.vocab.txt",
                vocab / "roberta-base.vocab.json",
                vocab / "roberta-base.merges.txt",
            ]
            for name, folder, tokenizer, is_main in configurations(Path(work), "base", *files):
                run(
                    name,
                    folder,
                    tokenizer,
                    own
                    + text_lines[:500]
                    + byte_lines
                    + (real if is_main else rng.sample(real, 1500)),
                    False,
                )
        # Genuine tokenizers of other families: every script, every code point, and the corners of
        # Unicode.
        for folder in (
            sorted(Path(options.data).glob("tokenizers/*/tokenizer.json")) if options.data else []
        ):
            lines = (
                own
                + text_lines
                + byte_lines
                + most
                + (real[:2000] + rng.sample(real, 3000) if real else [])
            )
            run(folder.parent.name, folder.parent, Tokenizer.from_file(str(folder)), lines, True)
        if options.minilm:
            folder = Path(options.minilm)
            run(
                "all-MiniLM-L6-v2",
                folder,
                Tokenizer.from_file(str(folder / "tokenizer.json")),
                own + text_lines + byte_lines + real,
                True,
            )
    print(f"{comparison.passed} passed, {comparison.failed} failed")
    sys.exit(1 if comparison.failed else 0)


if __name__ == "__main__":
    main()
