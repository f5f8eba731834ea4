#!/usr/bin/env python3
"""Models of tests/fixtures/families with layers removed, as sentence-transformers'
model_distillation removes them: the layers that are not kept are taken out of transformers'
ModuleList. students.json has the mean of each text's last states, with which
tests/core/model/student_recipe_test.cpp compares the library's students. Families without a class
in transformers are left out; the test compares those with the states of their own first layers.

    python tests/golden/students/make.py        torch, transformers, scikit-learn
"""

import json
from pathlib import Path

import numpy as np
import torch
from sklearn.decomposition import PCA
from transformers import AutoConfig, AutoModel, T5EncoderModel

FAMILIES = Path(__file__).resolve().parents[2] / "fixtures" / "families"
OWN_CODE = (
    "gte",
    "gte_no_types",
    "nomic_bert",
)  # no class in transformers without code of the checkpoint's own
LENGTHS = (3, 7, 12, 21)  # tokens of the texts
# Which layers are kept; where none are named, the last one alone.
KEPT = {
    "albert": [0, 2],
    "albert_groups": [0, 1, 6, 7],
    "modernbert": [0, 3],
    "modernbert_biases": [0, 2],
    "gemma3": [1, 3, 5],
    "gemma3_causal": [0, 5],
}


def layer_list(model):
    """The ModuleList of the layers, and the module that has it."""
    for module in model.modules():
        for name in ("layer", "layers", "block"):
            found = getattr(module, name, None)
            if isinstance(found, torch.nn.ModuleList) and len(found) > 1:
                return module, name, found
    return None


def keep(model, config, kept):
    if config.model_type == "albert":  # its layers share their weights: fewer steps are taken
        config.num_hidden_layers = len(kept) // config.inner_group_num
        return
    owner, name, layers = layer_list(model)
    if (
        config.model_type == "t5" and 0 not in kept
    ):  # the table of distances is layer 0's, and read by all
        layers[kept[0]].layer[0].SelfAttention.relative_attention_bias = (
            layers[0].layer[0].SelfAttention.relative_attention_bias
        )
        layers[kept[0]].layer[0].SelfAttention.has_relative_attention_bias = True
    setattr(owner, name, torch.nn.ModuleList([layers[i] for i in kept]))
    for key in ("num_hidden_layers", "n_layers", "num_layers"):
        if hasattr(config, key):
            setattr(config, key, len(kept))
    if getattr(config, "layer_types", None):
        config.layer_types = [config.layer_types[i] for i in kept]
    for i, layer in enumerate(getattr(owner, name)):
        for module in layer.modules():
            if hasattr(module, "layer_idx"):
                module.layer_idx = i


def vectors(folder, kept):
    config = AutoConfig.from_pretrained(folder)
    loader = T5EncoderModel if config.model_type == "t5" else AutoModel
    model = loader.from_pretrained(folder, attn_implementation="eager").double().eval()
    keep(model, model.config, kept)
    rng = np.random.default_rng(7)
    texts = [[int(i) for i in rng.integers(5, config.vocab_size - 1, size=n)] for n in LENGTHS]
    texts = [[i if i != config.pad_token_id else i - 1 for i in ids] for ids in texts]
    with torch.no_grad():
        states = [
            model(
                input_ids=torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.long),
            ).last_hidden_state[0]
            for ids in texts
        ]
    return texts, [[float(f"{x:.8g}") for x in state.mean(0).tolist()] for state in states]


def components():
    """Random rows, and scikit-learn's components of them."""
    rows = np.random.default_rng(3).normal(size=(40, 6)) * [5, 1, 3, 0.5, 2, 0.1] + 1
    return {
        "rows": rows.tolist(),
        "axes": PCA(n_components=3, svd_solver="full").fit(rows).components_.tolist(),
    }


def main():
    found = {}
    for folder in sorted(
        path for path in FAMILIES.iterdir() if path.is_dir() and path.name not in OWN_CODE
    ):
        config = AutoConfig.from_pretrained(folder)
        kept = KEPT.get(folder.name, [config.num_hidden_layers - 1])
        texts, rows = vectors(folder, kept)
        found[folder.name] = {"kept": kept, "texts": texts, "vectors": rows}
        print(folder.name, kept)
    out = Path(__file__).resolve().parent / "students.json"
    out.write_text(
        json.dumps({"families": found, "components": components()}, separators=(",", ":")) + "\n"
    )


if __name__ == "__main__":
    main()
