#!/usr/bin/env python3
"""Writes tiny folders of static embeddings with model2vec and sentence-transformers into this
folder, and the vectors of both: static.json. tests/core/model/static_test.cpp holds the library to
them.

    python tests/golden/static/make.py        # model2vec 0.10.0, sentence-transformers 6.2.0
"""

import json
import shutil
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from model2vec.distill import distill
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding
from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
TOKENIZER = HERE.parents[1] / "fixtures" / "models" / "bert_st" / "tokenizer.json"
TEXTS = [
    "the old red house",
    "a man is eating",
    "",
    "the the the",
    "\u00e9tude \u4e2d\u6587 zzz qqq",
    "water",
    "two cats sat on a mat " * 40,
    "   ",
    "[CLS] the [SEP]",
]


def tokenizer(plain):
    read = Tokenizer.from_file(str(TOKENIZER))
    if plain:  # as model2vec leaves it
        document = json.loads(read.to_str())
        document["post_processor"] = document["truncation"] = document["padding"] = None
        read = Tokenizer.from_str(json.dumps(document))
    return read


def clean(name):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def tidy(folder):
    for card in folder.rglob("README.md"):
        card.unlink()
    for file in folder.rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)


def main():
    rows = tokenizer(True).get_vocab_size()
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((rows, 12)).astype(np.float32)
    golden = {"texts": TEXTS, "folders": {}}

    def add(name, embeddings, also=None):
        tidy(HERE / name)
        folder = {"vectors": embeddings.astype(np.float64).tolist()}
        loaded = SentenceTransformer(str(HERE / name), device="cpu").encode(TEXTS)
        # sentence-transformers keeps the vector of the unknown token, which model2vec leaves out.
        folder["sentence_transformers"] = loaded.astype(np.float64).tolist()
        golden["folders"][name] = folder
        print(
            name,
            embeddings.shape,
            "unlike sentence-transformers':",
            [i for i in range(len(TEXTS)) if np.abs(embeddings[i] - loaded[i]).max() > 1e-5],
        )

    plain = StaticModel(
        vectors,
        tokenizer(True),
        normalize=True,
        config={"model_type": "model2vec", "architectures": ["StaticModel"]},
        max_length=64,
    )
    plain.save_pretrained(clean("model2vec"))
    add("model2vec", StaticModel.from_pretrained(HERE / "model2vec").encode(TEXTS))

    mapping = rng.integers(0, 7, rows)
    quantized = StaticModel(
        vectors[:7].astype(np.float16),
        tokenizer(True),
        normalize=False,
        weights=rng.random(rows).astype(np.float32) + 0.5,
        token_mapping=mapping,
        config={"model_type": "model2vec"},
        max_length=None,
    )
    quantized.save_pretrained(clean("quantized"))
    add("quantized", StaticModel.from_pretrained(HERE / "quantized").encode(TEXTS))

    folder = clean("sentence_transformers")
    SentenceTransformer(
        modules=[StaticEmbedding(tokenizer(False), embedding_weights=vectors), Normalize()],
        device="cpu",
    ).save(str(folder))
    add("sentence_transformers", SentenceTransformer(str(folder), device="cpu").encode(TEXTS))
    source = HERE.parents[1] / "fixtures" / "models" / "bert_st"
    golden["distilled"] = []
    for keys, options in [
        ({"dimension": 8}, {"pca_dims": 8}),
        (
            {"dimension": 0, "sif": 0.0, "pooling": "cls"},
            {"pca_dims": None, "sif_coefficient": None, "pooling": "first"},
        ),
        (
            {"dimension": 5, "sif": 0.01, "pooling": "lasttoken"},
            {"pca_dims": 5, "sif_coefficient": 0.01, "pooling": "last"},
        ),
    ]:
        model = distill(str(source), quantize_to="float32", device="cpu", **options)
        vectors = model.encode(TEXTS)
        golden["distilled"].append(
            {
                "keys": keys,
                "tokens": list(model.tokens),
                "table": model.embedding.astype(np.float64).round(7).tolist(),
                "vectors": vectors.astype(np.float64).round(7).tolist(),
            }
        )
        print("distilled", keys, model.embedding.shape)
    (HERE / "static.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
