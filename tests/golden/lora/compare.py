#!/usr/bin/env python3
"""Whether peft and sentence-transformers load what this library saved of a training with adapters:

    python tests/golden/lora/compare.py BASE MODEL

BASE: the folder that the training began from. MODEL: what it saved, with `adapter/` in it.
Compares, on some sentences, the vectors of MODEL with those of BASE under peft's own PeftModel, and
of BASE under sentence-transformers' load_adapter.
"""

import sys

import torch
from peft import PeftModel
from sentence_transformers import SentenceTransformer

TEXTS = [
    "A man is eating food.",
    "Someone has a meal.",
    "Two dogs run through the wet grass in the park.",
    "the",
    "Interest rates rose again.",
]


def main():
    base, model = sys.argv[1:]
    merged = SentenceTransformer(model, device="cpu")
    under_peft = SentenceTransformer(base, device="cpu")
    plain = under_peft.encode(TEXTS, convert_to_tensor=True)
    under_peft[0].auto_model = PeftModel.from_pretrained(
        under_peft[0].auto_model, model + "/adapter"
    )
    loaded = SentenceTransformer(base, device="cpu")
    loaded.load_adapter(model + "/adapter")
    expected = merged.encode(TEXTS, convert_to_tensor=True)
    for name, other in [("peft", under_peft), ("sentence-transformers", loaded)]:
        vectors = other.encode(TEXTS, convert_to_tensor=True)
        apart = (vectors - expected).abs().max().item()
        print(
            f"{name}: largest difference {apart:.2g}; the training moved the vectors by up to "
            f"{(plain - expected).abs().max().item():.2g}"
        )
        assert apart < 1e-6 < (plain - expected).abs().max().item()


if __name__ == "__main__":
    main()
