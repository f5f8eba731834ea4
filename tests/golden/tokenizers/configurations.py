"""The tokenizer folders that are compared: built from two vocabularies with every option that this
library knows. Each is written as a folder that both sides read, or as vocabulary files for this
library with the tokenizer that Hugging Face makes of them."""

import json
import shutil
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
ADDED = [
    AddedToken("<ent>", single_word=True),
    AddedToken("New York", normalized=True),
    AddedToken("<rs>", rstrip=True, normalized=False),
    AddedToken("<both>", lstrip=True, rstrip=True, special=True),
    AddedToken("ÀB", normalized=True, single_word=True),
    AddedToken("<e", normalized=False),
]


def read_vocab(path):
    return {
        line.rstrip("\r\n"): i for i, line in enumerate(open(path, encoding="utf-8", newline="\n"))
    }


def bert(vocab, normalizer, post="template", added=()):
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cls, sep = ("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])
    if post == "template":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[cls, sep]
        )
    elif post == "bert":
        tokenizer.post_processor = processors.BertProcessing(sep, cls)
    tokenizer.add_special_tokens(BERT_SPECIALS)
    tokenizer.add_tokens(list(added))
    return tokenizer


def roberta(
    vocab, merges, prefix=False, trim=True, regex=True, post="roberta", added=(), mask_strips=True
):
    tokenizer = Tokenizer(models.BPE.from_file(str(vocab), str(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=prefix, trim_offsets=trim, use_regex=regex
    )
    ids = json.load(open(vocab, encoding="utf-8"))
    cls, sep = ("<s>", ids["<s>"]), ("</s>", ids["</s>"])
    template = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B:1 </s>:1", special_tokens=[cls, sep]
    )
    if post == "roberta":
        tokenizer.post_processor = processors.RobertaProcessing(
            sep, cls, trim_offsets=trim, add_prefix_space=prefix
        )
    elif post == "sequence":
        tokenizer.post_processor = processors.Sequence(
            [processors.ByteLevel(add_prefix_space=prefix, trim_offsets=trim), template]
        )
    tokenizer.add_special_tokens(
        [*ROBERTA_SPECIALS, AddedToken("<mask>", lstrip=mask_strips, special=True)]
    )
    tokenizer.add_tokens(list(added))
    return tokenizer


def normalizer(clean=True, cjk=True, accents=None, lower=True):
    return normalizers.BertNormalizer(
        clean_text=clean, handle_chinese_chars=cjk, strip_accents=accents, lowercase=lower
    )


def save(tokenizer, folder):
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def bert_files(vocab_file, folder, config):
    folder.mkdir(parents=True)
    shutil.copyfile(vocab_file, folder / "vocab.txt")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def roberta_files(vocab_file, merges_file, folder, config):
    folder.mkdir(parents=True)
    shutil.copyfile(vocab_file, folder / "vocab.json")
    shutil.copyfile(merges_file, folder / "merges.txt")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def configurations(work: Path, name, vocab_txt, vocab_json, merges_txt):
    """Yields (name, folder, Hugging Face tokenizer, is_main) for one pair of vocabularies."""
    vocab = read_vocab(vocab_txt)
    work = work / name
    yield (
        f"{name}: vocab.txt, uncased",
        bert_files(vocab_txt, work / "files_uncased", {"do_lower_case": True}),
        bert(vocab, normalizer()),
        True,
    )
    yield (
        f"{name}: vocab.txt, cased",
        bert_files(
            vocab_txt,
            work / "files_cased",
            {"do_lower_case": False, "tokenizer_class": "BertTokenizerFast"},
        ),
        bert(vocab, normalizer(lower=False)),
        False,
    )
    variants = {
        "cased, accents stripped": normalizer(lower=False, accents=True),
        "uncased, accents kept": normalizer(accents=False),
        "not cleaned": normalizer(clean=False),
        "CJK not spaced": normalizer(cjk=False),
        "nothing but lower case": normalizers.Lowercase(),
        "no normalizer": None,
        "NFD": normalizers.NFD(),
        "NFD, lower case, StripAccents": normalizers.Sequence(
            [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]
        ),
    }
    for i, (label, made) in enumerate(variants.items()):
        tokenizer = bert(vocab, made, post=["template", "bert", "none"][i % 3])
        yield (
            f"{name}: tokenizer.json, {label}",
            save(tokenizer, work / f"bert{i}"),
            tokenizer,
            label.startswith("NFD,"),
        )
    tokenizer = bert(vocab, normalizer(), added=ADDED)
    yield (
        f"{name}: tokenizer.json, added tokens",
        save(tokenizer, work / "bert_added"),
        tokenizer,
        False,
    )

    yield (
        f"{name}: vocab.json + merges.txt",
        roberta_files(vocab_json, merges_txt, work / "files_roberta", {}),
        roberta(vocab_json, merges_txt, mask_strips=False),
        True,
    )
    yield (
        f"{name}: vocab.json + merges.txt, prefix space",
        roberta_files(vocab_json, merges_txt, work / "files_prefix", {"add_prefix_space": True}),
        roberta(vocab_json, merges_txt, prefix=True, mask_strips=False),
        False,
    )
    options = {
        "offsets not trimmed": {"trim": False},
        "prefix space": {"prefix": True},
        "no split": {"regex": False},
        "sequence": {"post": "sequence"},
        "added tokens": {"added": ADDED, "prefix": True},
        "no template": {"post": "none", "added": ADDED},
    }
    for i, (label, option) in enumerate(options.items()):
        tokenizer = roberta(vocab_json, merges_txt, **option)
        yield (
            f"{name}: byte-level tokenizer.json, {label}",
            save(tokenizer, work / f"roberta{i}"),
            tokenizer,
            False,
        )
