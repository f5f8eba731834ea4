"""The file that SentencePiece writes, as far as a tokenizer needs it: a protocol buffer with the
pieces, the kind of model and the map of characters."""

import struct

UNIGRAM = b"\x18\x01"
BPE_WITH_BYTES = b"\x18\x02\x98\x02\x01"  # what no piece covers falls back to bytes


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def sentencepiece_file(pieces, trainer, name=b"", charsmap=b""):
    """`pieces`: (text, score, type) of each; a score of None is left out, as are an empty name and
    an empty map."""

    def piece(text, score, kind):
        return (
            field(1, text.encode())
            + (b"" if score is None else b"\x15" + struct.pack("<f", score))
            + b"\x18"
            + bytes([kind])
        )

    normalizer = (field(1, name) if name else b"") + (field(2, charsmap) if charsmap else b"")
    return (
        b"".join(field(1, piece(*row)) for row in pieces)
        + field(2, trainer)
        + (field(3, normalizer) if normalizer else b"")
    )
