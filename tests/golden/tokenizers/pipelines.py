"""Pipelines drawn at random from every normalizer, pre-tokenizer, model and post-processor that
this library knows, over vocabularies learnt from the project's own sentences. Hugging Face's
library makes and writes each; a pipeline is a seed, so that a difference can be reproduced."""

import base64
import json
import random

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

import texts
from charsmap import charsmap

BLANK = "\u2581"
SPECIALS = ["<unk>", "<s>", "</s>", "<pad>"]


CHARSMAP = charsmap(
    {
        "\t": " ",
        "Q": "q",
        "\n": " ",
        "\r\n": " ",
        "\u3000": " ",
        "\u00a0": " ",
        "\u00bd": "1\u20442",
        "\ufb01": "fi",
        "e\u0301": "\u00e9",
        "a\u0301": "\u00e1",
        "\u2460": "1",
        "\uff21": "A",
        "\u0e33": "\u0e4d\u0e32",
        "\uff76": "\u30ab",
        "\u2122": "TM",
        "\u212b": "\u00c5",
        "\u1100\u1161": "\uac00",
    }
)


def as_normalizer(spec):
    """From JSON: the classes of the Python package cannot say everything."""
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": spec,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
    }
    return Tokenizer.from_str(json.dumps(document)).normalizer


def a_normalizer(rng):
    single = [
        lambda: normalizers.NFC(),
        lambda: normalizers.NFD(),
        lambda: normalizers.NFKC(),
        lambda: normalizers.NFKD(),
        lambda: normalizers.Nmt(),
        lambda: normalizers.Lowercase(),
        lambda: normalizers.StripAccents(),
        lambda: normalizers.Strip(rng.random() < 0.5, rng.random() < 0.5),
        lambda: normalizers.Replace(
            rng.choice(["a", "aa", ".", " ", "``", "e\u0301", "the"]),
            rng.choice(["", "b", BLANK, "xyz", "\u00e9"]),
        ),
        lambda: normalizers.Replace(
            Regex(rng.choice([" {2,}", r"\s+", "[aeiou]+", r"(?i:the)\b", r"\p{Lu}", "(?<=a)b"])),
            rng.choice(["", " ", "u", BLANK + "x"]),
        ),
        lambda: normalizers.Prepend(rng.choice([BLANK, "ab"])),
        lambda: normalizers.BertNormalizer(*(rng.random() < 0.5 for _ in range(4))),
        lambda: normalizers.ByteLevel(),
        lambda: as_normalizer(
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(CHARSMAP).decode()}
        ),
    ]
    count = rng.choice([0, 1, 1, 2, 3, 4])
    chosen = [rng.choice(single)() for _ in range(count)]
    return None if not chosen else chosen[0] if count == 1 else normalizers.Sequence(chosen)


BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PATTERNS = [
    " ",
    "-",
    "the",
    "aa",
    Regex(r"\s"),
    Regex(r"\d{1,3}"),
    Regex(r"[,.!?]"),
    Regex(GPT4.replace("%", "")),
    Regex(GPT4.replace("%", "{1,3}")),
    Regex(r"\w+|[^\w\s]+"),
    Regex(r"\p{Han}"),
    Regex("^."),
]


def a_pre_tokenizer(rng):
    single = [
        lambda: pre_tokenizers.Metaspace(
            prepend_scheme=rng.choice(["always", "first", "never"]), split=rng.random() < 0.7
        ),
        lambda: pre_tokenizers.WhitespaceSplit(),
        lambda: pre_tokenizers.Whitespace(),
        lambda: pre_tokenizers.Digits(rng.random() < 0.5),
        lambda: pre_tokenizers.Punctuation(rng.choice(BEHAVIORS)),
        lambda: pre_tokenizers.BertPreTokenizer(),
        lambda: pre_tokenizers.Split(
            rng.choice(PATTERNS), rng.choice(BEHAVIORS), rng.random() < 0.3
        ),
        lambda: pre_tokenizers.UnicodeScripts(),
        lambda: pre_tokenizers.FixedLength(rng.choice([1, 2, 5, 40])),
        lambda: pre_tokenizers.CharDelimiterSplit(
            rng.choice(["a", " ", BLANK, "\u00e9", "\u4e2d"])
        ),
        lambda: pre_tokenizers.ByteLevel(
            rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5
        ),
    ]
    chosen = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
        part = rng.choice(single)()
        if not any(
            isinstance(part, pre_tokenizers.ByteLevel)
            and isinstance(other, pre_tokenizers.ByteLevel)
            for other in chosen
        ):  # a second is refused
            chosen.append(part)
    return (
        None if not chosen else chosen[0] if len(chosen) == 1 else pre_tokenizers.Sequence(chosen)
    )


class Vocabularies:
    """Of the project's own sentences, in the forms that the models want."""

    def __init__(self):
        sentences = [s for s in texts.SENTENCES if s.strip()]
        unigram = Tokenizer(models.Unigram())
        unigram.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
        unigram.train_from_iterator(
            sentences,
            trainers.UnigramTrainer(
                vocab_size=900, special_tokens=SPECIALS, unk_token="<unk>", show_progress=False
            ),
        )
        self.unigram = [tuple(x) for x in json.loads(unigram.to_str())["model"]["vocab"]]
        bpe = Tokenizer(models.BPE(unk_token="<unk>"))
        bpe.normalizer = normalizers.Replace(" ", BLANK)
        bpe.train_from_iterator(
            sentences,
            trainers.BpeTrainer(
                vocab_size=1500, limit_alphabet=200, special_tokens=SPECIALS, show_progress=False
            ),
        )
        model = json.loads(bpe.to_str())["model"]
        self.bpe = model["vocab"], [tuple(m) for m in model["merges"]]
        stand_ins = Tokenizer(models.BPE(unk_token="<unk>"))
        stand_ins.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        stand_ins.train_from_iterator(
            sentences,
            trainers.BpeTrainer(
                vocab_size=1200,
                special_tokens=SPECIALS,
                show_progress=False,
                initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            ),
        )
        model = json.loads(stand_ins.to_str())["model"]
        self.stand_ins = model["vocab"], [tuple(m) for m in model["merges"]]

    def model(self, rng):
        kind = rng.choice(
            ["unigram", "unigram", "bpe", "bpe", "stand-ins", "wordpiece", "wordlevel"]
        )
        fallback = [f"<0x{byte:02X}>" for byte in range(rng.choice([0, 0, 128, 256]))]
        if kind == "unigram":
            return kind, models.Unigram(
                self.unigram + [(name, -20.0) for name in fallback], 0, bool(fallback)
            )
        if kind in ("bpe", "stand-ins"):
            vocab, merges = self.bpe if kind == "bpe" else self.stand_ins
            vocab = {**vocab, **{name: len(vocab) + i for i, name in enumerate(fallback)}}
            return kind, models.BPE(
                vocab,
                merges,
                unk_token=rng.choice(["<unk>", "<unk>", None]),
                fuse_unk=rng.random() < 0.5,
                byte_fallback=bool(fallback),
                ignore_merges=rng.random() < 0.3,
            )
        if kind == "wordpiece":
            vocab = {token: i for i, (token, _) in enumerate(self.unigram)}
            vocab.update(
                {
                    "##" + token: len(vocab) + i
                    for i, (token, _) in enumerate(self.unigram)
                    if len(token) < 3
                }
            )
            vocab = {token: i for i, token in enumerate(vocab)}
            return kind, models.WordPiece(vocab, unk_token="<unk>", max_input_chars_per_word=50)
        return kind, models.WordLevel(
            {token: i for i, (token, _) in enumerate(self.unigram)}, unk_token="<unk>"
        )


ADDED = [
    AddedToken("<ent>", single_word=True),
    AddedToken("New York", normalized=True),
    AddedToken("<rs>", rstrip=True, normalized=False),
    AddedToken("<mask>", lstrip=True, rstrip=True, special=True),
    AddedToken("the", normalized=True, single_word=True),
    AddedToken("<e", normalized=False),
    AddedToken("  ", normalized=False),
    AddedToken("\n", normalized=True),
    AddedToken("\u00c0B", normalized=True),
]


def those_it_can(tokenizer, lines):
    """Without the texts on which their library panics."""

    def works(line):
        try:
            tokenizer.encode(line.decode(errors="replace") if isinstance(line, bytes) else line)
        except BaseException as error:  # a panic is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            return False
        return True

    return [line for line in lines if works(line)]


def pipelines(count, seed=5):
    """(name, tokenizer)"""
    vocabularies = Vocabularies()
    for i in range(count):
        rng = random.Random(seed * 100003 + i)
        kind, model = vocabularies.model(rng)
        tokenizer = Tokenizer(model)
        normalizer, pre_tokenizer = a_normalizer(rng), a_pre_tokenizer(rng)
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        if pre_tokenizer is not None:
            tokenizer.pre_tokenizer = pre_tokenizer
        post = rng.choice(["none", "template", "bert", "roberta", "byte-level", "sequence"])
        template = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> </s> $B:1 </s>:1",
            special_tokens=[("<s>", 1), ("</s>", 2)],
        )
        trim, prefix = rng.random() < 0.5, rng.random() < 0.5
        trim = (
            trim and normalizer is None
            # else it counts characters that the normalizer took out: theirs trims what is no space
            # then
        )
        if post == "template":
            tokenizer.post_processor = template
        elif post == "bert":
            tokenizer.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 1))
        elif post == "roberta":
            tokenizer.post_processor = processors.RobertaProcessing(
                ("</s>", 2), ("<s>", 1), trim_offsets=trim, add_prefix_space=prefix
            )
        elif post == "byte-level":
            tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim)
        elif post == "sequence":
            tokenizer.post_processor = processors.Sequence(
                [processors.ByteLevel(trim_offsets=trim), template]
            )
        tokenizer.add_special_tokens(SPECIALS)
        # A content that the normalizer takes away is found everywhere by their library.
        empty = [
            t
            for t in ADDED
            if t.normalized and normalizer is not None and not normalizer.normalize_str(t.content)
        ]
        tokenizer.add_tokens(
            [token for token in rng.sample(ADDED, rng.choice([0, 0, 2, 5])) if token not in empty]
        )
        yield f"pipeline {i}: {kind}, {normalizer}, {pre_tokenizer}, {post}"[:300], tokenizer
