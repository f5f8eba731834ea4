#!/usr/bin/env python3
"""Proves that huggingface_hub reads the card of a folder saved by libcontrastive, and that the
card's lines of Python run.

    python card.py FOLDER [FOLDER2 ...]

The header is read by huggingface_hub's ModelCard, whose EvalResult objects must give the same
model-index back, and compared with the keys that the hub's specification of metadata knows and
sentence-transformers writes. The block of Python is run as it stands, on a link of the folder's
shown name. sentence-transformers loads the folder and saves it again: the card goes along. Prints
what was read; exits 1 at the first surprise.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import yaml
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import eval_results_to_model_index
from sentence_transformers import SentenceTransformer

# Of the specification of metadata for model cards, those that a card here may have.
KEYS = {
    "language",
    "license",
    "library_name",
    "pipeline_tag",
    "tags",
    "datasets",
    "base_model",
    "metrics",
    "model-index",
}
TAGS = {"sentence-transformers", "sentence-similarity", "feature-extraction", "libcontrastive"}
SHOWN = "path/to/this/folder"


def wrong(message):
    sys.exit(f"card.py: {message}")


def check_header(folder, text):
    header = yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))
    if not KEYS.issuperset(header):
        wrong(f"{folder}: unknown keys {set(header) - KEYS}")
    data = ModelCard(text).data
    if (
        data.library_name != "sentence-transformers"
        or data.pipeline_tag != "sentence-similarity"
        or not TAGS.issubset(data.tags)
    ):
        wrong(
            f"{folder}: library {data.library_name}, pipeline {data.pipeline_tag}, tags {data.tags}"
        )
    for key in ("language", "datasets", "tags", "metrics"):
        if not all(isinstance(item, str) for item in header.get(key) or []):
            wrong(f"{folder}: {key} holds {header[key]}, not texts alone")
    if (
        "model-index" in header
        and eval_results_to_model_index(data.model_name, data.eval_results) != header["model-index"]
    ):
        wrong(
            f"{folder}: the model-index is not what huggingface_hub makes of its results: "
            f"{header['model-index']}"
        )
    results = data.eval_results or []
    if sorted({result.metric_type for result in results}) != sorted(header.get("metrics", [])):
        wrong(f"{folder}: metrics {header.get('metrics')}")
    return results


def run_python(folder, text):
    program = re.search(r"^```python\n(.*?)^```$", text, re.M | re.S).group(1)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        link = Path(place, SHOWN)
        link.parent.mkdir(parents=True)
        link.symlink_to(Path(folder).resolve())
        os.chdir(place)
        try:
            names = {}
            exec(program, names)  # the card is what is tested
        finally:
            os.chdir(here)
    return names["embeddings"].shape


def check_again(folder, text):
    """sentence-transformers keeps the card of a model that it has not trained."""
    with tempfile.TemporaryDirectory() as place:
        SentenceTransformer(folder, device="cpu").save(place)
        if Path(place, "README.md").read_text(encoding="utf-8").strip() != text.strip():
            wrong(f"{folder}: sentence-transformers saved another card")


for folder in sys.argv[1:] or wrong("which folders?"):
    text = Path(folder, "README.md").read_text(encoding="utf-8")
    results = check_header(folder, text)
    shape = run_python(folder, text)
    check_again(folder, text)
    figures = ", ".join(
        f"{result.dataset_type} {result.metric_type} {result.metric_value}" for result in results
    )
    print(f"ok   {folder}: {shape[1]} numbers a text; {figures or 'nothing measured'}")
