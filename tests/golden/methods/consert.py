"""Trains ConSERT as a plain PyTorch program, in float64, on weights and augmentations handed in by
consert_dump.

    build/release/consert_dump | python tests/golden/methods/consert.py

writes consert.json and consert.golden.safetensors into this folder: for each run the losses of 20
updates and the weights after them. It follows the paper and the description in
core/torch/methods/consert/consert.h, not the C++ code: padded batches, separate forward passes,
autograd throughout. The files state the version of PyTorch that wrote them.
"""

import json
import math
import sys

import torch
import torch.nn.functional as F

from bert import Bert
from golden_file import golden_case, write


def encode(bert, x, mask):
    """[texts, longest, hidden] -> the mean of the last layer over the tokens of each text."""
    x = bert.last_states(x, mask)
    return (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)


def padded(values, offsets, fill):
    rows = [torch.tensor(values[a:b]) for a, b in zip(offsets, offsets[1:])]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=fill)


class Column:
    """The texts of one side of a batch, as the encoder sees them in each view."""

    def __init__(self, bert, column):
        self.bert, self.column = bert, column
        self.offsets = column["offsets"]
        self.ids = padded(column["ids"], self.offsets, 0)
        self.mask = padded([1.0] * len(column["ids"]), self.offsets, 0.0)
        self.lengths = [b - a for a, b in zip(self.offsets, self.offsets[1:])]

    def embedded(self, view=None):
        first = self.bert.run["first_position"]
        places = [t for n in self.lengths for t in range(n)]
        if view and view["positions"]:
            places = view["positions"]
        e = self.bert.embed(self.ids, padded([first + t for t in places], self.offsets, 0))
        if view and view["cut"]:
            hidden = e.shape[-1]
            keep = torch.ones(len(self.column["ids"]) * hidden)
            keep[view["cut"]] = 0
            keep = keep.view(-1, hidden)
            e = e * torch.nn.utils.rnn.pad_sequence(
                [keep[a:b] for a, b in zip(self.offsets, self.offsets[1:])], batch_first=True
            )
        return e

    def vectors(self, view=None):
        return encode(self.bert, self.embedded(view), self.mask)


def nt_xent_rows(z1, z2, tau):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    n = len(z1)
    s = z @ z.t() / tau
    s = s.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    return F.cross_entropy(s, (torch.arange(2 * n) + n) % (2 * n), reduction="none")


def reduced(rows, how):
    return {"mean": rows.mean(), "two-sided": 2 * rows.mean(), "sum": rows.sum()}[how]


def classify(bert, u, v, labels, names):
    features = {
        "uv": [u, v],
        "absdiff": [(u - v).abs()],
        "mul": [u * v],
        "maxsq": [torch.max(u, v) ** 2],
    }
    f = torch.cat([block for name in names for block in features[name]], dim=1)
    return F.cross_entropy(
        F.linear(f, bert.w["classifier.weight"], bert.w["classifier.bias"]), labels
    )


def adversarial(columns, classified, eps):
    """Fast Gradient Value: both sides take a step up the slope of the classification loss, as a
    constant."""
    clean = [c.embedded() for c in columns]
    loss = classified(*[encode(c.bert, e, c.mask) for c, e in zip(columns, clean)])
    slopes = torch.autograd.grad(loss, clean)
    steps = [eps * g / (g.norm(dim=2, keepdim=True) + 1e-10) for g in slopes]
    return [encode(c.bert, c.embedded() + s.detach(), c.mask) for c, s in zip(columns, steps)]


def loss_of(bert, update):
    config = bert.run["config"]
    columns = [Column(bert, c) for c in update["columns"]]
    labels = torch.tensor(update["labels"])
    tau, how = config.get("consert.temperature", 0.1), config.get("consert.reduction", "mean")

    def classified(u, v):
        return classify(bert, u, v, labels, config["consert.nli_features"])

    def of(view):
        if columns[0].column[view]["adversarial"]:
            return adversarial(columns, classified, config["consert.fgv_eps"])
        return [c.vectors(c.column[view]) for c in columns]

    if config["consert.mode"] == "unsup":
        return reduced(nt_xent_rows(of("view1")[0], of("view2")[0], tau), how)
    clean = [c.vectors() for c in columns]
    entropy = classified(*clean)
    if config["consert.mode"] == "sup":
        return entropy
    first = clean if columns[0].column["view1"]["nothing"] else of("view1")
    second = of("view2")
    kind = config.get("consert.joint_cl", "per-side-sum")
    if kind == "merged":
        contrastive = reduced(nt_xent_rows(torch.cat(first), torch.cat(second), tau), how)
    else:
        sides = [nt_xent_rows(a, b, tau).mean() for a, b in zip(first, second)]
        contrastive = (
            2 * (sides[0] + sides[1]) if kind == "per-side-sum" else (sides[0] + sides[1]) / 2
        )
    return entropy + config.get("consert.alpha", 0.15) * contrastive


def train(run):
    """AdamW of transformers without bias correction, decay after the step; clipping to norm 1;
    linear warm-up and decline."""
    bert = Bert(run)
    config = run["config"]
    beta1, beta2, eps, decay, total = (
        0.9,
        0.999,
        config["eps"],
        config["weight_decay"],
        config["max_steps"],
    )
    warmup = math.ceil(config["warmup_ratio"] * total)
    m = {name: torch.zeros_like(w) for name, w in bert.w.items()}
    v = {name: torch.zeros_like(w) for name, w in bert.w.items()}
    losses = []
    for u, update in enumerate(run["updates"]):
        loss = loss_of(bert, update)
        names = list(bert.w)
        grads = torch.autograd.grad(loss, [bert.w[n] for n in names], allow_unused=True)
        grads = [torch.zeros_like(bert.w[n]) if g is None else g for n, g in zip(names, grads)]
        norm = math.sqrt(sum(float((g * g).sum()) for g in grads))
        clip = min(1.0, config["clip_norm"] / (norm + 1e-6))
        lr = config["lr"] * (u / warmup if u < warmup else (total - u) / (total - warmup))
        with torch.no_grad():
            for name, g in zip(names, grads):
                w, g = bert.w[name], g * clip
                m[name].mul_(beta1).add_(g, alpha=1 - beta1)
                v[name].mul_(beta2).addcmul_(g, g, value=1 - beta2)
                w.sub_(lr * m[name] / (v[name].sqrt() + eps))
                if "bias" not in name and "LayerNorm.weight" not in name:
                    w.sub_(lr * decay * w)
        losses.append(float(loss.detach()))
    return losses, bert.w


def main():
    cases = {}
    for run in json.load(sys.stdin):
        losses, weights = train(run)
        cases[run["name"]] = golden_case(run["config"], losses, weights)
    write("consert", cases)


if __name__ == "__main__":
    main()
