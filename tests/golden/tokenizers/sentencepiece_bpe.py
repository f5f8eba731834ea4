"""Folders with only a SentencePiece file of a BPE model, and the tokenizers that transformers 5
makes of them."""

import json

from sentencepiece_file import BPE_WITH_BYTES, sentencepiece_file
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

BLANK = "\u2581"
CONTROL, UNKNOWN, USER_DEFINED, NORMAL, BYTE = 3, 2, 4, 1, 6


def merges_of(vocab):
    """As transformers: every way to make a piece of two, in the order of the pieces, the shorter
    beginning first."""
    found = [
        (vocab[piece], i, piece[:i], piece[i:])
        for piece in vocab
        for i in range(1, len(piece))
        if piece[:i] in vocab and piece[i:] in vocab
    ]
    return [(left, right) for _, _, left, right in sorted(found)]


def pieces_of(tokens, specials):
    own = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)] + [
        ("\n\n", 0.0, USER_DEFINED),
        (BLANK * 2, 0.0, USER_DEFINED),
    ]
    taken = {"<unk>", "<s>", "</s>", "<pad>", *(text for text, _, _ in specials + own)}
    kept = [token for token in tokens if token not in taken]
    return specials + own + [(token, -float(i), NORMAL) for i, token in enumerate(kept)]


def configurations(work, tokens):
    """`tokens`: of a BPE learnt from texts whose spaces are U+2581. Yields (name, folder,
    tokenizer)."""
    gemma = [
        ("<pad>", 0.0, CONTROL),
        ("<eos>", 0.0, CONTROL),
        ("<bos>", 0.0, CONTROL),
        ("<unk>", 0.0, UNKNOWN),
        ("<mask>", 0.0, USER_DEFINED),
    ]
    llama = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    options = [
        ("Gemma", {}),
        ("Gemma", {"add_bos_token": True, "add_eos_token": True}),
        ("Llama", {}),
        ("Llama", {"legacy": True, "add_eos_token": True}),
        ("Llama", {"add_prefix_space": False, "add_bos_token": True}),
    ]
    for number, (kind, config) in enumerate(options):
        pieces = pieces_of(tokens, gemma if kind == "Gemma" else llama)
        folder = work / f"sentencepiece{number}"
        folder.mkdir(parents=True)
        (folder / "tokenizer.model").write_bytes(
            sentencepiece_file(pieces, BPE_WITH_BYTES, name=b"identity")
        )
        (folder / "tokenizer_config.json").write_text(
            json.dumps({"tokenizer_class": kind + "Tokenizer", **config})
        )
        vocab = {text: i for i, (text, _, _) in enumerate(pieces)}
        tokenizer = Tokenizer(
            models.BPE(
                vocab,
                merges_of(vocab),
                unk_token="<unk>" if kind == "Gemma" else None,
                fuse_unk=True,
                byte_fallback=True,
            )
        )
        if kind == "Gemma":
            tokenizer.normalizer = normalizers.Replace(" ", BLANK)
            tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
            begin, end = "<bos>", "<eos>"
        else:
            scheme = (
                "never"
                if not config.get("add_prefix_space", True)
                else "always"
                if config.get("legacy")
                else "first"
            )
            tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
                BLANK, prepend_scheme=scheme, split=False
            )
            begin, end = "<s>", "</s>"
        special = [
            text for text, _, kind in pieces if kind in (CONTROL, UNKNOWN) or text == "<mask>"
        ]
        tokenizer.add_special_tokens(
            [AddedToken(text, normalized=False, special=True) for text in special]
        )
        tokenizer.add_tokens(
            [
                AddedToken(text, normalized=False)
                for text, _, kind in pieces
                if kind == USER_DEFINED and text not in special
            ]
        )
        front, back = (
            begin if config.get("add_bos_token", False) else "",
            end if config.get("add_eos_token") else "",
        )
        single = f"{front} $A {back}".split()
        second = [part + ":1" for part in f"{front} $B {back}".split()]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=single,
            pair=single + second,
            special_tokens=[(begin, vocab[begin]), (end, vocab[end])],
        )
        yield f"tokenizer.model, {kind}, {config}", folder, tokenizer
