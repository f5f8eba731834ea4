#!/usr/bin/env python3
"""Writes tests/fixtures/tokenizers/settings.json: the results of transformers for tokenizer folders
with a setting outside tokenizer.json, for the test that needs no Python. The file is committed; run
it again only when the settings or the pinned version of transformers change:

    python tests/golden/tokenizers/settings.py [FOLDER]     FOLDER: keeps the tokenizer folders
                                                            there
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.update(TRANSFORMERS_VERBOSITY="error", HF_HUB_OFFLINE="1")

import transformers
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from transformers import AutoTokenizer

from compare import FIXTURES, decode, theirs
from configurations import bert, normalizer, read_vocab, roberta

TEXTS = [
    "The Quick brown fox: Café naïve ÀÉ, 東京 <e1> and <E1>x.",
    " two  spaces [MASK] <mask> </s>[SEP] <two words> end",
    "thé",
]
PAIRS = [
    ("The cat sat on the mat because it was there", "A dog <e1>"),
    ("short", "The other text is the longer one of the two [SEP] texts"),
]
LIMITS = [6, 9, 13]


def document(tokenizer):
    return json.loads(tokenizer.to_str())


def pieces(names, extra=""):
    text = (
        "the quick brown fox cat sat on mat dog short other text is "
        "longer one of two and a e n i t c"
    )
    words = sorted(
        {"\u2581" + w for w in text.split()}
        | set("abcdefghijklmnopqrstuvwxyzTQABCÉéïàéÀÉ\u2581.,:<>[]/123456789" + extra)
    )
    return [(n, 0.0) for n in names] + [
        (w, -2.0 - 0.1 * i) for i, w in enumerate(words) if w not in names
    ]


def unigram(names, unknown, opening, closing):
    tokenizer = Tokenizer(models.Unigram(pieces(names), unknown))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    ids = {name: i for i, name in enumerate(names)}
    single = f"{opening} $A {closing}" if opening else f"$A {closing}"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single,
        pair=single + f" $B:1 {closing}:1",
        special_tokens=[(n, ids[n]) for n in {opening, closing} if n],
    )
    tokenizer.add_special_tokens([n for n in names if n])
    return document(tokenizer)


def gemma():
    vocab = {}
    for token in (
        ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
        + [f"<0x{b:02X}>" for b in range(256)]
        + [p for p, _ in pieces([])]
        + ["th", "the", "\u2581th", "\u2581the"]
    ):
        vocab.setdefault(token, len(vocab))
    merges = [("t", "h"), ("th", "e"), ("\u2581", "th"), ("\u2581", "the"), ("\u2581th", "e")]
    tokenizer = Tokenizer(
        models.BPE(vocab, merges, fuse_unk=True, byte_fallback=True, unk_token="<unk>")
    )
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        normalizers.Replace(" ", "\u2581"),
        pre_tokenizers.Split(" ", "merged_with_previous"),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", pair="<bos> $A <bos>:1 $B:1", special_tokens=[("<bos>", 2)]
    )
    tokenizer.add_special_tokens(["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"])
    return document(tokenizer)


def word_pieces():
    return read_vocab(FIXTURES / "wordpiece.vocab.txt")


def mpnet():
    vocab = {}
    for token in ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] + list(word_pieces()):
        vocab.setdefault(token, len(vocab))
    tokenizer = bert(vocab, normalizer(lower=False), post="none")
    tokenizer.add_special_tokens(
        ["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True, special=True)]
    )
    return document(tokenizer)


def bases():
    byte_level = [FIXTURES / "byte_bpe.vocab.json", FIXTURES / "byte_bpe.merges.txt"]
    qwen = document(roberta(*byte_level, post="none"))
    qwen["added_tokens"].append(
        dict(
            qwen["added_tokens"][0],
            id=json.loads(byte_level[0].read_text()).__len__(),
            content="<|endoftext|>",
        )
    )
    return {
        "bert": document(bert(word_pieces(), normalizer())),
        "mpnet": mpnet(),
        "roberta": document(roberta(*byte_level)),
        "qwen3": qwen,
        "xlm-roberta": unigram(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], 3, "<s>", "</s>"),
        "camembert": unigram(
            [
                "<s>NOTUSED",
                "<pad>",
                "</s>NOTUSED",
                "<unk>",
                "<unk>NOTUSED",
                "<s>",
                "</s>",
                "<mask>",
            ],
            3,
            "<s>",
            "</s>",
        ),
        "albert": unigram(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], 1, "[CLS]", "[SEP]"),
        "t5": unigram(
            ["<pad>", "</s>", "<unk>"] + [f"<extra_id_{i}>" for i in range(99, -1, -1)],
            2,
            "",
            "</s>",
        ),
        "gemma3_text": gemma(),
        "modernbert": document(bert(word_pieces(), normalizer())),
    }


def token(content, special=False, **flags):
    return {
        "content": content,
        "lstrip": False,
        "normalized": not special,
        "rstrip": False,
        "single_word": False,
        "special": special,
        **flags,
    }


def cases(base, tokenizer_json):
    """(name, tokenizer_config, other files, tokenizer.json)"""
    yield "plain", {}, {}, tokenizer_json
    keys = {
        "bert": ["do_lower_case", "strip_accents", "tokenize_chinese_chars"],
        "mpnet": ["do_lower_case"],
        "albert": ["do_lower_case", "keep_accents", "add_prefix_space"],
    }
    for key in keys.get(base, ["add_prefix_space", "do_lower_case"]):
        for value in [False, True]:
            yield f"{key} {value}", {key: value}, {}, tokenizer_json
    left = dict(
        tokenizer_json,
        truncation={"direction": "Left", "max_length": 20, "strategy": "LongestFirst", "stride": 0},
    )
    yield "truncation_side", {"truncation_side": "left"}, {}, tokenizer_json
    yield "truncation", {}, {}, left
    yield "truncation_side over truncation", {"truncation_side": "right"}, {}, left
    yield "split_special_tokens", {"split_special_tokens": True}, {}, tokenizer_json
    yield (
        "additional_special_tokens",
        {"additional_special_tokens": ["<e1>", "two"]},
        {},
        tokenizer_json,
    )
    yield (
        "extra_special_tokens",
        {"extra_special_tokens": ["<e1>"], "additional_special_tokens": ["fox"]},
        {},
        tokenizer_json,
    )
    yield (
        "extra_special_tokens, roles",
        {"extra_special_tokens": {"first_token": "<e1>"}, "image_token": "fox"},
        {},
        tokenizer_json,
    )
    yield (
        "special_tokens_map",
        {},
        {
            "special_tokens_map.json": {
                "additional_special_tokens": ["<two words>"],
                "mask_token": token("mat", lstrip=True),
            }
        },
        tokenizer_json,
    )
    yield (
        "added_tokens.json",
        {},
        {"added_tokens.json": {"<e1>": size(tokenizer_json)}},
        tokenizer_json,
    )
    decoder = {
        str(t["id"]): {k: v for k, v in t.items() if k != "id"}
        for t in tokenizer_json["added_tokens"]
    }
    decoder[str(size(tokenizer_json))] = token("<e1>", single_word=True)
    yield (
        "added_tokens_decoder",
        {"added_tokens_decoder": decoder},
        {"special_tokens_map.json": {"additional_special_tokens": ["fox"]}},
        tokenizer_json,
    )
    fewer = dict(list(decoder.items())[:2])
    yield "added_tokens_decoder, fewer", {"added_tokens_decoder": fewer}, {}, tokenizer_json
    if base in ("bert", "roberta", "xlm-roberta", "albert"):
        ends = {"bert": ["[MASK]", "[UNK]"], "albert": ["[MASK]", "<unk>"]}.get(
            base, ["<mask>", "<pad>"]
        )
        stated = {
            "bert": "BertTokenizerFast",
            "roberta": "RobertaTokenizer",
            "xlm-roberta": "XLMRobertaTokenizerFast",
            "albert": "AlbertTokenizer",
        }[base]
        yield (
            "roles",
            dict(zip(("cls_token", "sep_token", "bos_token", "eos_token"), ends * 2)),
            {},
            tokenizer_json,
        )
        yield (
            "roles, class",
            {"tokenizer_class": stated, "sep_token": ends[0]},
            {"config.json": {}},
            tokenizer_json,
        )
        yield (
            "PreTrainedTokenizerFast",
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "do_lower_case": False,
                "sep_token": ends[0],
            },
            {"config.json": {}},
            tokenizer_json,
        )
    if base == "gemma3_text":
        yield "add_bos_token", {"add_bos_token": False, "add_eos_token": True}, {}, tokenizer_json
    if base == "modernbert":
        yield (
            "BertTokenizer",
            {"tokenizer_class": "BertTokenizer", "do_lower_case": False},
            {},
            tokenizer_json,
        )


def cases_of_vocabulary_files(base):
    """The same without a tokenizer.json."""
    first, mask, last = (
        ("[PAD]", "[MASK]", 3500)
        if base == "vocab.txt"
        else ("<pad>", "<mask>", size(bases()["roberta"]))
    )
    decoder = {
        "0": token("[PAD]" if base == "vocab.txt" else "<s>", special=True),
        str(last): token("<e1>", single_word=True),
    }
    yield "plain", {}, {}
    for key in (
        ["do_lower_case", "strip_accents"]
        if base == "vocab.txt"
        else ["add_prefix_space", "trim_offsets"]
    ):
        yield f"{key} False", {key: False}, {}
        yield f"{key} True", {key: True}, {}
    yield "truncation_side", {"truncation_side": "left"}, {}
    yield "split_special_tokens", {"split_special_tokens": True}, {}
    yield "additional_special_tokens", {"additional_special_tokens": ["<e1>", "two"]}, {}
    yield (
        "special_tokens_map",
        {},
        {
            "special_tokens_map.json": {
                "mask_token": token(mask, lstrip=True),
                "additional_special_tokens": ["fox"],
            }
        },
    )
    yield "added_tokens.json", {}, {"added_tokens.json": {"<e1>": last}}
    yield "added_tokens_decoder", {"added_tokens_decoder": decoder}, {}
    yield "roles", {"sep_token": mask, "cls_token": first}, {}


def size(tokenizer_json):
    return (
        max(
            [t["id"] for t in tokenizer_json["added_tokens"]]
            + [len(tokenizer_json["model"]["vocab"]) - 1]
        )
        + 1
    )


def without_vocabulary(base, tokenizer_json):
    """Without the vocabularies that the test takes from the fixtures."""
    if base in ("bert", "modernbert", "roberta", "qwen3"):
        tokenizer_json["model"]["vocab"] = {}
        if "merges" in tokenizer_json["model"]:
            tokenizer_json["model"]["merges"] = []
    return tokenizer_json


def rows(tokenizer):
    result = []
    requests = [(0, text, None) for text in TEXTS] + [(LIMITS[0], TEXTS[0], None)]
    requests += [
        (limit, *pair) for pair, limit in zip(PAIRS + PAIRS[:1], [0, LIMITS[2], LIMITS[1]])
    ]
    for limit, a, b in requests:
        (_, starts_a), (_, starts_b) = decode(a), decode(b or "")
        given = (a,) if b is None else (a, b)
        full_length = len(tokenizer(*given)["input_ids"])
        encoding = (
            tokenizer(*given, truncation="longest_first", max_length=limit)
            if limit
            else tokenizer(*given)
        )
        ids, type_ids, begins, ends, _ = theirs(
            encoding.encodings[0], starts_a, starts_b, full_length
        )
        result.append([limit, a, b, ids, begins, ends, type_ids.count(1), full_length])
    return result


def block(folder, model_type, config, files):
    files = {"config.json": {"model_type": model_type}, **files}
    for file, content in {"tokenizer_config.json": config, **files}.items():
        (folder / file).write_text(json.dumps(content))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return {
        "name": folder.name,
        "tokenizer_config": config,
        "files": files,
        "types": "token_type_ids" in tokenizer.model_input_names,
        "rows": rows(tokenizer),
    }


def main():
    with tempfile.TemporaryDirectory() as work:
        root = Path(sys.argv[1] if len(sys.argv) > 1 else work)
        blocks = []
        for base, tokenizer_json in bases().items():
            for name, config, files, changed in cases(base, tokenizer_json):
                folder = root / f"{base}, {name}"
                folder.mkdir(parents=True)
                (folder / "tokenizer.json").write_text(json.dumps(changed))
                changes = {
                    key: value for key, value in changed.items() if tokenizer_json[key] != value
                }
                blocks.append(
                    {"base": base, "changes": changes, **block(folder, base, config, files)}
                )
        for base, model_type in [("vocab.txt", "bert"), ("vocab.json + merges.txt", "roberta")]:
            for name, config, files in cases_of_vocabulary_files(base):
                folder = root / f"{base}, {name}"
                folder.mkdir(parents=True)
                for file in base.split(" + "):
                    shutil.copyfile(
                        FIXTURES
                        / {"vocab.txt": "wordpiece.vocab.txt"}.get(file, f"byte_bpe.{file}"),
                        folder / file,
                    )
                blocks.append({"tokenizer_json": None, **block(folder, model_type, config, files)})
    golden = {
        "transformers": transformers.__version__,
        "row": "max_length, a, b, ids, begins, ends, ids in segment 1, full length",
        "bases": {
            base: without_vocabulary(base, tokenizer_json)
            for base, tokenizer_json in bases().items()
        },
        "blocks": blocks,
    }
    path = FIXTURES / "settings.json"
    path.write_text(
        json.dumps(golden, ensure_ascii=True, separators=(",", ":")).replace('{"base"', '\n{"base"')
        + "\n"
    )
    print(path, len(blocks), "blocks,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
