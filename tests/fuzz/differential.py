#!/usr/bin/env python3
"""Compares this library with the Rust crates behind the PyPI packages `tokenizers` and
`safetensors` on mutated files: what is accepted, and what is read.

    differential.py PROGRAM SECONDS|COUNTx [tokenizers|safetensors]

PROGRAM is build/release/fuzz_replay. differential.sh calls this script.

So many seconds of each, or so many files ("8000x"), which are the same ones every time.

A file that both accept must read equal: ids and places of every text, bytes of every tensor. A file
that one side alone accepts must be one of EXPECTED below, with its reason. Ends with the counts of
each and "N compared, M unexplained", and exit status 1 if M > 0. SEED=n repeats a run.
"""

import copy
import json
import multiprocessing
import os
import random
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ACCEPTED = 0
FORMAT, UNSUPPORTED, LIMIT = -9, -10, -11

# (which side refuses, pattern of its message, reason). The list is what tests/fuzz/RESULTS.md
# explains.
EXPECTED_TOKENIZERS = [
    (
        "ours",
        r".*is of type .*|.*is not known.*|.*\.pattern is empty|.*adds special tokens twice",
        "a part or an option that this library does not have is refused by name (UNSUPPORTED)",
    ),
    (
        "ours",
        r".*appears twice.*",
        "a key, token or id that appears twice is refused; serde takes the last one",
    ),
    (
        "ours",
        r".*states id .*",
        "an added token whose id is not the vocabulary's is refused; theirs renumbers it silently",
    ),
    (
        "ours",
        r".*must have each text once.*|.*which special_tokens does not have.*|"
        r".*the template has id .*",
        "a template that repeats or leaves out a text, or names what it does not define, is "
        "refused when loaded; theirs panics or goes on",
    ),
    (
        "ours",
        r".*an added token is empty.*",
        "an empty added token is refused; theirs leaves it out",
    ),
    (
        "ours",
        r".*must be.*|.*is needed.*|.*is missing.*|.*cannot be.*|.*too "
        r"high.*|.*no \[UNK\].*|.*has no .*",
        "strict types, ranges and presence; serde has defaults",
    ),
    (
        "ours",
        r".*characters of base64, which come in fours",
        "base64 without its padding is refused; theirs drops what is left over",
    ),
    (
        "ours",
        r".*lacks the unknown token.*",
        "an unknown token that the vocabulary lacks is refused when loaded; theirs fails at the "
        "first unknown character",
    ),
    (
        "theirs",
        r".*(missing field|expected value|data did not match any variant|invalid (type|value|"
        r"length)|Unknown tokenizer version|unknown variant|expected `,` or `}`).*",
        "theirs asks for fields that do not change ids (version, decoder, padding, a processor's "
        "tokens) or have defaults here, and stops at keys it does not know",
    ),
]
EXPECTED_SAFETENSORS = [
    (
        "ours",
        r".*appears twice.*",
        "a tensor or key that appears twice is refused; serde takes the last one",
    ),
    (
        "ours",
        r".*elements of type.*",
        "types without a counterpart here (F8, complex, F4) are refused (UNSUPPORTED)",
    ),
    ("ours", r".*unknown key.*", "an unknown key of a tensor is refused; serde skips it"),
    (
        "ours",
        r".*is larger than any tensor.*|.*shape must hold whole numbers.*",
        "no elements, and other extents that no tensor could have: 2^63, or an overflowing product",
    ),
    ("ours", r".*at most 16 numbers.*", "more than 16 dimensions are refused"),
    (
        "ours",
        r".*deeper than 64.*",
        "JSON deeper than 64 levels is refused; serde_json stops at 128",
    ),
    (
        "ours",
        r".*__metadata__: a JSON object is needed, not null.*",
        "metadata that is null is refused; serde reads it as none",
    ),
    (
        "ours",
        r".*does not begin with '\{'.*",
        "the format says that a header begins with '{'; the crate skips blanks before it",
    ),
]


REFUSALS = {
    FORMAT,
    UNSUPPORTED,
    LIMIT,
}  # the statuses that a file may be refused with: another one is a bug
NO_TYPE = (
    "a model without a type: theirs tries one kind after the other until one fits, "
    "ours tells it from the keys and refuses what is wrong in it"
)
ANOTHER_KIND = (
    "a part that lacks a key: theirs reads it as another kind that needs fewer "
    "(RobertaProcessing as BertProcessing), ours takes the default"
)


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "--answers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, kind, items):
        request = (
            kind
            + struct.pack("<q", len(items))
            + b"".join(struct.pack("<q", len(item)) + item for item in items)
        )
        self.process.stdin.write(request)
        self.process.stdin.flush()
        status = struct.unpack("<i", self.read(4))[0]
        return status, self.text().decode(errors="replace")

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) != size:
            sys.exit(f"differential.py: the program ended with {self.process.wait()}")
        return data

    def number(self):
        return struct.unpack("<q", self.read(8))[0]

    def text(self):
        return self.read(self.number())

    def tokenizer(self, document, texts):
        status, message = self.ask(b"j", [document, *[text.encode() for text in texts]])
        if status != ACCEPTED:
            return status, message, None
        results = []
        for _ in texts:
            count = self.number()
            results.append(
                (
                    list(struct.unpack(f"<{count}i", self.read(4 * count))),
                    list(struct.unpack(f"<{count}q", self.read(8 * count))),
                    list(struct.unpack(f"<{count}q", self.read(8 * count))),
                )
            )
        return status, message, results

    def safetensors(self, data):
        status, message = self.ask(b"s", [data])
        if status != ACCEPTED:
            return status, message, None
        tensors = {}
        for _ in range(self.number()):
            name, dtype, shape = self.text().decode().rsplit("\t", 2)
            tensors[name] = (dtype, json.loads(shape), self.text())
        return status, message, tensors


class Theirs:
    """The crate `tokenizers` in a process of its own: some of its panics end the process."""

    def __init__(self):
        self.start()

    def start(self):
        self.connection, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(
            target=self.answer, args=(other, self.connection), daemon=True
        )
        self.process.start()
        other.close()

    @staticmethod
    def answer(connection, parents):
        import tokenizers

        parents.close()  # so that it ends with its parent
        while True:
            data, texts = connection.recv()
            try:
                tokenizer = tokenizers.Tokenizer.from_buffer(data)
                tokenizer.no_padding()
                tokenizer.no_truncation()
                encodings = [tokenizer.encode(text) for text in texts]
                connection.send(
                    (
                        [
                            (encoding.ids, encoding.offsets, encoding.special_tokens_mask)
                            for encoding in encodings
                        ],
                        "",
                    )
                )
            except BaseException as error:  # a panic of Rust is no Exception
                if isinstance(error, KeyboardInterrupt):
                    raise
                connection.send((None, f"{type(error).__name__}: {error}"))

    def tokenizer(self, data, texts):
        try:
            self.connection.send((data, texts))
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            self.start()
            return None, "the process ended"


class Tally:
    def __init__(self, expected):
        self.expected, self.compared, self.equal, self.refused, self.unexplained, self.reasons = (
            expected,
            0,
            0,
            0,
            0,
            {},
        )

    def explain(self, side, message, what, otherwise=None):
        """`otherwise`: the reason where the message tells none."""
        self.compared += 1
        found = next(
            (
                reason
                for refuses, pattern, reason in self.expected
                if refuses == side and re.fullmatch(pattern, message, re.DOTALL)
            ),
            otherwise,
        )
        if found is not None:
            self.reasons[found] = self.reasons.get(found, 0) + 1
            return
        self.complain(
            f"only {'theirs' if side == 'ours' else 'ours'} accepts ({message[:200]})", what
        )

    def complain(self, message, what):
        self.unexplained += 1
        if self.unexplained <= 5:
            print(f"  {message}\n    {what[:1500]!r}")

    def print(self, name, version):
        print(
            f"{name} {version}: {self.compared} compared: {self.equal} equal, {self.refused} "
            f"refused by both, {self.unexplained} unexplained"
        )
        for reason, count in sorted(self.reasons.items(), key=lambda item: -item[1]):
            print(f"  {count:6d}  {reason}")


class Budget:
    """SECONDS, or COUNTx."""

    def __init__(self, text):
        self.left = int(text[:-1]) if text.endswith("x") else None
        self.end = None if self.left is not None else time.time() + float(text)

    def spend(self):
        if self.left is None:
            return time.time() < self.end
        self.left -= 1
        return self.left >= 0


def is_json(data):
    try:
        json.loads(data)
        return True
    except ValueError:
        return False


def lacks_bytes(document):
    """A byte-level vocabulary without an unknown token, and without one of the 256 letters that
    stand for bytes."""
    letters = (
        set(range(33, 127))
        | set(range(161, 173))
        | set(range(174, 256))
        | set(range(256, 256 + 68))
    )
    model = document["model"]
    bytes_alone = "ByteLevel" in json.dumps(document) and model.get("unk_token") is None
    return (
        bytes_alone
        and "merges" in model
        and not all(chr(letter) in model["vocab"] for letter in letters)
    )


def read_as_another_kind(document):
    """Parts that the crate reads as another kind because a key of theirs is missing: its enums try
    one kind after the other."""

    def whole(part, keys):
        return all(isinstance(part.get(key), kind) for key, kind in keys.items())

    def parts(node):
        if isinstance(node, dict):
            yield node
            for child in node.values():
                yield from parts(child)
        elif isinstance(node, list):
            for child in node:
                yield from parts(child)

    needed = {
        "RobertaProcessing": {"trim_offsets": bool, "add_prefix_space": bool},
        "ByteLevel": {"trim_offsets": bool, "add_prefix_space": bool},
        "BertNormalizer": {"clean_text": bool, "handle_chinese_chars": bool, "lowercase": bool},
    }
    found = [
        part
        for key, value in document.items()
        if key != "model"
        for part in parts(value)
        if isinstance(part.get("type"), str)
    ]
    return any(not whole(part, needed.get(part["type"], {})) for part in found)


def mutate_json(value, rng, pool):
    """One change somewhere in `value`: a key left out, a value from elsewhere or of another kind,
    two items swapped."""
    places = []

    def walk(node):
        items = (
            node.items()
            if isinstance(node, dict)
            else enumerate(node)
            if isinstance(node, list)
            else ()
        )
        for key, child in items:
            # The hundreds of entries of a vocabulary or of merges would take nearly every mutation.
            if len(node) < 30 or rng.random() < 0.05:
                places.append((node, key))
                walk(child)

    walk(value)
    node, key = rng.choice(places)
    choice = rng.randrange(7)
    if choice == 0:
        del node[key]
    elif choice == 1:
        node[key] = rng.choice(
            [None, True, False, 0, 1, -1, 2**31, 2**63, 0.5, "", "a", [], {}, "[UNK]", "##"]
        )
    elif choice == 2:
        node[key] = copy.deepcopy(rng.choice(pool))
    elif choice == 3 and isinstance(node[key], bool):
        node[key] = not node[key]
    elif choice == 4 and isinstance(node[key], int):
        node[key] += rng.choice([-1, 1, 10])
    elif choice == 5 and isinstance(node, list):
        node.insert(rng.randrange(len(node) + 1), copy.deepcopy(node[key]))
    else:
        other, place = rng.choice(places)
        try:
            node[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(node[key])
        except (KeyError, IndexError):
            pass


def mutate_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        choice = rng.randrange(4)
        if choice == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif choice == 1:
            del data[at : at + rng.randrange(1, 9)]
        elif choice == 2:
            data[at:at] = bytes(data[at : at + rng.randrange(1, 30)])
        elif at < len(data):
            data[at] = ord(rng.choice("0123456789{}[],:\"-.eE"))
    return bytes(data)


def some_text(rng, words):
    parts = []
    for _ in range(rng.randrange(1, 12)):
        choice = rng.randrange(5)
        if choice < 2:
            parts.append(rng.choice(words))
        elif choice == 2:
            parts.append(
                "".join(
                    chr(
                        rng.choice(
                            [
                                rng.randrange(32, 127),
                                rng.randrange(0xA0, 0x250),
                                rng.randrange(0x300, 0x370),
                                rng.randrange(0x4E00, 0x4F00),
                                rng.randrange(0x1F600, 0x1F640),
                                rng.randrange(0, 32),
                            ]
                        )
                    )
                    for _ in range(rng.randrange(1, 6))
                )
            )
        else:
            parts.append(rng.choice([" ", "  ", "", "\n", ".", ",", "'s", "-", "\u00a0", "\u200b"]))
    return "".join(parts)


def tokenizer_documents():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    for name in [
        "models/bert_st",
        "models/roberta_sharded",
        "kinds/gemma_bpe",
        "kinds/qwen_bpe",
        "kinds/unigram",
    ]:
        yield (FIXTURES / name / "tokenizer.json").read_text(encoding="utf-8")
    vocab = {
        token: i
        for i, token in enumerate(
            [
                "[PAD]",
                "[UNK]",
                "[CLS]",
                "[SEP]",
                "[MASK]",
                "the",
                "cat",
                "##s",
                "caf",
                "##e",
                "a",
                "b",
                "##b",
                "\u4e2d",
                ".",
            ]
        )
    }
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    yield tokenizer.to_str()

    tokenizer = Tokenizer(
        models.WordLevel(
            {
                token: i
                for i, token in enumerate(
                    ["<unk>", "the", "cat", "a", "b", ".", ",", "The", "\u4e2d"]
                )
            },
            unk_token="<unk>",
        )
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    yield tokenizer.to_str()

    pieces = [
        "<unk>",
        "<s>",
        "</s>",
        *[f"<0x{byte:02X}>" for byte in range(256)],
        *"abcdehst\u2581",
        "\u2581the",
        "\u2581c",
        "at",
        "cat",
        "the",
        "s\u2581",
    ]
    tokenizer = Tokenizer(
        models.Unigram(
            [(piece, -0.5 * (i % 17)) for i, piece in enumerate(pieces)],
            unk_id=0,
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Strip(left=True, right=False),
            normalizers.Replace("  ", " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(["<s>", "</s>"])
    yield tokenizer.to_str()


def compare_tokenizers(ours, budget, rng):
    import tokenizers

    tally, other = Tally(EXPECTED_TOKENIZERS), Theirs()
    documents = [json.loads(text) for text in tokenizer_documents()]
    pool = [
        child
        for document in documents
        for part in document.values()
        if isinstance(part, (dict, list))
        for child in (part if isinstance(part, list) else part.values())
        if not isinstance(child, dict) or len(child) < 30
    ] + [document[key] for document in documents for key in document if key != "model"]
    words = [
        word if isinstance(word, str) else word[0]
        for document in documents
        for word in document["model"]["vocab"]
    ]  # Unigram's have a score
    words += [word.upper() for word in documents[0]["model"]["vocab"]]
    while budget.spend():
        document = copy.deepcopy(rng.choice(documents))
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            mutate_json(document, rng, pool)
        data = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if rng.random() < 0.1:
            data = mutate_bytes(data, rng)
        texts = [some_text(rng, words) for _ in range(6)]
        status, message, mine = ours.tokenizer(data, texts)
        theirs, problem = other.tokenizer(data, texts)
        if status != ACCEPTED and status not in REFUSALS:
            tally.compared += 1
            tally.complain(f"ours ends with status {status} ({message[:200]})", data)
            continue
        if status == ACCEPTED and theirs is not None:
            tally.compared += 1
            for text, (ids, begins, ends), (their_ids, offsets, special_mask) in zip(
                texts, mine, theirs
            ):
                starts = [0]
                for character in text:
                    starts.append(starts[-1] + len(character.encode()))
                places = [
                    (-1, -1) if special else (starts[a], starts[b])
                    for (a, b), special in zip(offsets, special_mask)
                ]
                if ids != their_ids or list(zip(begins, ends)) != places:
                    reason = None
                    if ids == their_ids and lacks_bytes(json.loads(data)):
                        reason = (
                            "bytes that the vocabulary lacks: both leave them out, "
                            "theirs without their place, so that the "
                            "places behind them shift"
                        )
                    elif read_as_another_kind(json.loads(data)):
                        reason = ANOTHER_KIND
                    if reason is not None:
                        tally.reasons[reason] = tally.reasons.get(reason, 0) + 1
                        break
                    tally.complain(
                        f"ids or places differ for {text!r}: ours {ids} "
                        f"{list(zip(begins, ends))}, theirs {their_ids} {places}",
                        data,
                    )
                    break
            else:
                tally.equal += 1
        elif status == ACCEPTED:
            tally.explain("theirs", problem, data)
        elif theirs is not None:
            tally.explain(
                "ours",
                message,
                data,
                NO_TYPE if is_json(data) and "type" not in json.loads(data)["model"] else None,
            )
        else:
            tally.compared += 1
            tally.refused += 1
    tally.print("tokenizers", tokenizers.__version__)
    return tally


def safetensors_file(rng):
    header, at = {}, 0
    if rng.random() < 0.5:
        header["__metadata__"] = {"format": "pt"}
    for i in range(rng.randrange(0, 5)):
        dtype, size = rng.choice(
            [
                ("F32", 4),
                ("F16", 2),
                ("BF16", 2),
                ("F64", 8),
                ("I64", 8),
                ("I32", 4),
                ("U8", 1),
                ("BOOL", 1),
                ("F8_E4M3", 1),
                ("I16", 2),
            ]
        )
        shape = [rng.randrange(0, 4) for _ in range(rng.randrange(0, 4))]
        count = size
        for extent in shape:
            count *= extent
        header[f"t{i}"] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + count]}
        at += count
    for _ in range(rng.choice([0, 0, 1, 2])):
        if header:
            mutate_json(
                header,
                rng,
                [
                    0,
                    1,
                    2**62,
                    2**63,
                    2**64,
                    [0, 0],
                    [1, 2],
                    {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
                ],
            )
    text = json.dumps(header).encode()
    if rng.random() < 0.3:
        text += b" " * rng.randrange(1, 9)
    if rng.random() < 0.2:
        text = mutate_bytes(text, rng)
    data = (
        struct.pack("<Q", len(text))
        + text
        + rng.randbytes(max(0, at + rng.choice([0, 0, 0, 0, -1, 1, 8])))
    )
    return mutate_bytes(data, rng) if rng.random() < 0.2 else data


def compare_safetensors(ours, budget, rng):
    import safetensors

    tally = Tally(EXPECTED_SAFETENSORS)
    while budget.spend():
        data = safetensors_file(rng)
        status, message, mine = ours.safetensors(data)
        theirs, problem = None, ""
        try:
            theirs = {
                name: (tensor["dtype"], list(tensor["shape"]), bytes(tensor["data"]))
                for name, tensor in safetensors.deserialize(data)
            }
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            problem = f"{type(error).__name__}: {error}"
        if status == ACCEPTED and theirs is not None:
            tally.compared += 1
            if mine == theirs:
                tally.equal += 1
            else:
                tally.complain("tensors differ", data)
        elif status == ACCEPTED:
            tally.explain("theirs", problem, data)
        elif theirs is not None:
            tally.explain("ours", message, data)
        else:
            tally.compared += 1
            tally.refused += 1
    tally.print("safetensors", safetensors.__version__)
    return tally


def main():
    program, budget, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    seed = int(os.environ.get("SEED", "1"))
    print(f"SEED={seed}")
    ours, compared, unexplained = Ours(program), 0, 0
    for name, compare in [("tokenizers", compare_tokenizers), ("safetensors", compare_safetensors)]:
        if only and name not in only:
            continue
        try:
            __import__(name)
        except ImportError:
            print(f"{name}: skipped: the package cannot be imported")
            continue
        tally = compare(ours, Budget(budget), random.Random(seed))
        compared, unexplained = compared + tally.compared, unexplained + tally.unexplained
    print(f"{compared} compared, {unexplained} unexplained")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
