#!/usr/bin/env python3
"""Writes tests/fixtures/sts_golden.json: the results of SciPy, sentence-transformers and
transformers for the STS tasks, on generated numbers and on the small random encoder
tests/fixtures/models/bert_st. Run it once, manually, where they are installed:

    python3 tests/golden/eval/sts.py
"""

import collections
import json
import pathlib

import numpy as np
import scipy
import scipy.stats
import sentence_transformers
import torch
import transformers
from sentence_transformers.util import (
    pairwise_cos_sim,
    pairwise_dot_score,
    pairwise_euclidean_sim,
    pairwise_manhattan_sim,
)

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODEL = ROOT / "tests/fixtures/models/bert_st"
WORDS = (
    "the a cat dog bird house mat sat two old new on over fly run closed open winter "
    "summer water green red plays guitar man woman child"
).split()
FIGURES = {"spearman": scipy.stats.spearmanr, "pearson": scipy.stats.pearsonr}


def correlate(predictions, gold):
    return {name: float(function(predictions, gold)[0]) for name, function in FIGURES.items()}


def aggregate(subsets):
    """all, mean and wmean of [(predictions, gold)]."""
    found = [correlate(*subset) for subset in subsets]
    together = correlate(*(np.concatenate(side) for side in zip(*subsets)))
    sizes = [len(gold) for _, gold in subsets]
    return {
        name: {
            "all": together[name],
            "mean": float(np.mean([f[name] for f in found])),
            "wmean": float(np.average([f[name] for f in found], weights=sizes)),
        }
        for name in FIGURES
    }


def made_up_sets(rng):
    sets = []
    for sizes in ((40, 7, 19), (30,), (5, 60)):
        subsets = []
        for n in sizes:
            gold = np.round(rng.uniform(0, 5, n) * 2.5) / 2.5  # ties, as people give them
            predictions = (0.1 * gold + rng.normal(0, 0.2, n)).astype(np.float32).astype(np.float64)
            predictions[n // 2] = predictions[0]
            subsets.append((predictions, gold))
        sets.append(
            {
                "subsets": [
                    {"predictions": p.tolist(), "gold": g.tolist(), **correlate(p, g)}
                    for p, g in subsets
                ],
                **aggregate(subsets),
            }
        )
    average = {
        name: {
            key: float(np.mean([s[name][key] for s in sets])) for key in ("all", "mean", "wmean")
        }
        for name in FIGURES
    }
    return {"sets": sets, "average": average}


def similarities(rng):
    first, second = (rng.standard_normal((30, 9)).astype(np.float32) for _ in range(2))
    second[:20] += first[:20]
    gold = np.round(rng.uniform(0, 5, 30), 1)
    a, b = torch.from_numpy(first).double(), torch.from_numpy(second).double()
    functions = {
        "cosine": pairwise_cos_sim,
        "dot": pairwise_dot_score,
        "euclidean": pairwise_euclidean_sim,
        "manhattan": pairwise_manhattan_sim,
    }
    return {
        "dimension": 9,
        "first": [float(f"{x:.9g}") for x in first.ravel()],
        "second": [float(f"{x:.9g}") for x in second.ravel()],
        "gold": gold.tolist(),
        **{name: correlate(function(a, b).numpy(), gold) for name, function in functions.items()},
    }


def sentence_pairs(rng, n):
    """[score, sentence, sentence]: the score says how many words were kept."""
    pairs = []
    for _ in range(n):
        first = [WORDS[i] for i in rng.integers(0, len(WORDS), rng.integers(2, 9))]
        second = [
            word if rng.uniform() < 0.6 else WORDS[rng.integers(0, len(WORDS))] for word in first
        ]
        kept = sum(a == b for a, b in zip(first, second)) / len(first)
        pairs.append([round(5 * kept * 2) / 2, " ".join(first), " ".join(second) + "."])
    return pairs


def hidden_states(texts):
    """(ids, states of all layers [layers + 1, tokens, hidden]) of each text, one at a time: no
    padding."""
    tokenizer, model = (
        transformers.AutoTokenizer.from_pretrained(MODEL),
        transformers.AutoModel.from_pretrained(MODEL).eval(),
    )
    found = {}
    with torch.no_grad():
        for text in dict.fromkeys(texts):
            inputs = tokenizer(text, return_tensors="pt")
            states = model(**inputs, output_hidden_states=True).hidden_states
            found[text] = (inputs["input_ids"][0].tolist(), torch.stack(states)[:, 0].double())
    return tokenizer, found


def score(pairs, vectors):
    """Correlation of the cosines with the scores; None where it is not defined."""

    def cosine(a, b):
        norms = float(a.norm() * b.norm())
        return float(a @ b) / norms if norms > 0 else 0.0

    cosines = np.array(
        [np.float32(cosine(vectors[first], vectors[second])) for _, first, second in pairs],
        np.float64,
    )
    gold = np.array([pair[0] for pair in pairs])
    if np.ptp(cosines) < 1e-5:  # one and the same vector for all texts
        return {name: None for name in FIGURES}
    return correlate(cosines, gold)


def studies(rng):
    pairs = sentence_pairs(rng, 60)
    texts = [text for pair in pairs for text in pair[1:]]
    tokenizer, found = hidden_states(texts)
    layers = {name: {pooling: [] for pooling in ("cls", "mean", "max")} for name in FIGURES}
    for layer in range(next(iter(found.values()))[1].shape[0]):
        for pooling, reduce in (
            ("cls", lambda x: x[0]),
            ("mean", lambda x: x.mean(0)),
            ("max", lambda x: x.max(0).values),
        ):
            result = score(
                pairs, {text: reduce(states[layer]) for text, (_, states) in found.items()}
            )
            for name in FIGURES:
                layers[name][pooling].append(result[name])
    counted = collections.Counter(i for text in texts for i in found[text][0])
    ranked = sorted(counted, key=lambda i: (-counted[i], i))
    tokens = {
        "ids": ranked,
        "counts": [counted[i] for i in ranked],
        "tokens": tokenizer.convert_ids_to_tokens(ranked),
        "spearman": [],
        "pearson": [],
    }
    for k in range(11):
        vectors = {}
        for text, (ids, states) in found.items():
            kept = [i not in ranked[:k] for i in ids]
            vectors[text] = states[-1][torch.tensor(kept)].sum(0) / max(sum(kept), 1e-9)
        for name, value in score(pairs, vectors).items():
            tokens[name].append(value)
    return {"pairs": pairs, "layers": layers, "tokens": tokens}


def main():
    rng = np.random.default_rng(20240602)
    golden = {
        "made_with": {
            module.__name__: module.__version__
            for module in (np, scipy, torch, transformers, sentence_transformers)
        },
        "aggregate": made_up_sets(rng),
        "similarity": similarities(rng),
        "study": studies(rng),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items()]
    (ROOT / "tests/fixtures/sts_golden.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
