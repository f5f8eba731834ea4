"""Seeds of models and parts of other families than BERT and RoBERTa, for seeds.py."""

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden" / "tokenizers"))
from charsmap import charsmap  # noqa: E402
from sentencepiece_file import BPE_WITH_BYTES, UNIGRAM, sentencepiece_file  # noqa: E402


def make(seed, small):
    blank = "\u2581"
    map_bytes = charsmap({"\t": " ", "\uff21": "A", "e\u0301": "\u00e9", "\u00bd": "1\u20442"})
    metaspace = {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": blank, "prepend_scheme": "always", "split": True},
        ],
    }
    unigram = {
        "added_tokens": [],
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(map_bytes).decode(),
        },
        "pre_tokenizer": metaspace,
        "post_processor": None,
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "byte_fallback": True,
            "vocab": [
                ["<unk>", 0],
                [blank, -2],
                ["h", -3],
                [blank + "he", -3.5],
                ["l", -4],
                ["lo", -4.5],
                ["<0x41>", -9],
            ],
        },
    }
    seed("tokenizer_json", "unigram", json.dumps(unigram), "{}", "hello \uff21 e\u0301")
    bpe = {
        "added_tokens": [
            {"id": 7, "content": "\n\n", "normalized": False},
            {"id": 8, "content": "new", "normalized": True, "single_word": True},
        ],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": blank},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": True,
            "vocab": {"<unk>": 0, blank: 1, "h": 2, "e": 3, "he": 4, blank + "he": 5, "<0x0A>": 6},
            "merges": [["h", "e"], [blank, "he"]],
        },
    }
    seed("tokenizer_json", "bpe-of-characters", json.dumps(bpe), "{}", "he he\n\nhe new")
    rows = {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": "[a-c]+|\\s"},
                "behavior": "Isolated",
                "invert": True,
            },
            {"type": "Digits", "individual_digits": True},
            {"type": "Punctuation", "behavior": "Contiguous"},
            {"type": "Whitespace"},
            {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False},
        ],
    }
    more = {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "UnicodeScripts"},
            {"type": "FixedLength", "length": 3},
            {"type": "CharDelimiterSplit", "delimiter": "c"},
        ],
    }
    stages = {
        "type": "Sequence",
        "normalizers": [{"type": kind} for kind in ("NFC", "NFKC", "NFKD", "Nmt")]
        + [
            {"type": "Strip", "strip_left": True, "strip_right": False},
            {"type": "Prepend", "prepend": "a"},
            {"type": "Append", "append": "b"},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        ],
    }
    level = {
        **small,
        "added_tokens": [],
        "post_processor": None,
        "normalizer": stages,
        "pre_tokenizer": rows,
        "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "b": 1}},
    }
    seed("tokenizer_json", "every-part", json.dumps(level), "{}", "ab 12, c")

    seed(
        "tokenizer_json",
        "stand-ins",
        json.dumps({**level, "normalizer": {"type": "ByteLevel"}, "pre_tokenizer": more}),
        "{}",
        "ab \u4e2d\u306e c",
    )

    def model(*pieces):
        return sentencepiece_file(pieces, UNIGRAM, charsmap=map_bytes)

    def merged(*pieces):
        return sentencepiece_file(
            [
                (text, None, kind)
                for text, kind in [*((f"<0x{byte:02X}>", 6) for byte in range(256)), *pieces]
            ],
            BPE_WITH_BYTES,
        )

    fairseq = model(
        ("<unk>", 0, 2),
        ("<s>", 0, 3),
        ("</s>", 0, 3),
        (blank + "he", -1, 1),
        ("l", -2, 1),
        (blank, -3, 1),
        ("<x>", 0, 4),
    )
    for name in ("XLMRoberta", "Camembert"):
        seed(
            "sentencepiece_files",
            name.lower(),
            json.dumps({"tokenizer_class": name + "Tokenizer"}),
            "hello <mask> <x>",
            fairseq,
        )
    seed(
        "sentencepiece_files",
        "t5",
        '{"tokenizer_class": "T5Tokenizer", "extra_ids": 2}',
        "he<extra_id_0>",
        model(("<pad>", 0, 3), ("</s>", 0, 3), ("<unk>", 0, 2), (blank + "he", -1, 1)),
    )
    seed(
        "sentencepiece_files",
        "albert",
        '{"tokenizer_class": "AlbertTokenizer"}',
        "``He'' 9,",
        model(
            ("<pad>", 0, 3),
            ("<unk>", 0, 2),
            ("[CLS]", 0, 3),
            ("[SEP]", 0, 3),
            (blank + "he", -1, 1),
            ("9,", -1, 1),
        ),
    )
    bpe_pieces = [("ab", 1), (blank + "ab", 1), ("a", 1), ("b", 1), (blank, 1), ("bb", 4)]
    seed(
        "sentencepiece_files",
        "gemma",
        '{"tokenizer_class": "GemmaTokenizer"}',
        "ab <eos>\u00e9",
        merged(("<eos>", 3), ("<bos>", 3), ("<unk>", 2), *bpe_pieces),
    )
    seed(
        "sentencepiece_files",
        "llama",
        '{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true}',
        "ab bb",
        merged(("<unk>", 2), ("<s>", 3), ("</s>", 3), *bpe_pieces),
    )
    seed(
        "sentencepiece_files",
        "cut",
        '{"tokenizer_class": "XLMRobertaTokenizer"}',
        "he",
        fairseq[:40],
    )
    seed("charsmap", "good", "a\tb e\u0301 \uff21 \u00bd", map_bytes)
    seed("charsmap", "cut", "a", map_bytes[:20])
    for name, expression, text in (
        ("words", r"\w+|[^\w\s]+", "a b_1 \u00e9!"),
        ("gpt4", r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+", "it's 123  x"),
        ("exploding", "(a+)+b", "a" * 40),
        ("boundary", r"\bb\B[[:punct:]]\h", "bb.f"),
        ("none", "(", "a"),
    ):
        seed("regular_expression", name, expression, text)
