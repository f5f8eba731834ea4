#!/usr/bin/env python3
"""Twenty updates of SG-OPT in plain PyTorch, every objective once: sg_opt.json and
sg_opt.golden.safetensors, which tuning_golden_test.cpp holds the library to.

    python tests/golden/methods/sg_opt.py
"""

import torch
import torch.nn.functional as F

import plain
from counter_rng import normal_matrix, sampled_layer
from golden_file import golden_case, write

SEED, WIDTH = plain.TRAINER["seed"], 8
DEFAULTS = {
    **plain.TRAINER,
    "method": "sgopt",
    "optimizer": "adamw-hf",
    "betas": ["0.9", "0.9"],
    "eps": 1e-6,
    "sgopt.dropout": False,
    "sgopt.temperature": 0.05,
    "sgopt.head_width": WIDTH,
}


def initial_head():
    head = {}
    for i, width in enumerate((32, WIDTH)):
        head[f"head.{i}.weight"] = (
            torch.tensor(normal_matrix(WIDTH, width, 0.02, SEED, i))
            .float()
            .double()
            .requires_grad_(True)
        )
        head[f"head.{i}.bias"] = torch.zeros(WIDTH, dtype=torch.double, requires_grad=True)
    return head


def project(head, x):
    if not head:
        return x
    x = F.gelu(x @ head["head.0.weight"].T + head["head.0.bias"])
    return F.gelu(x @ head["head.1.weight"].T + head["head.1.bias"])


def pooled(states, mask, kind):
    if kind == "mean":
        return torch.stack([(x * mask).sum(1) / mask.sum(1) for x in states], 1)
    return torch.stack([x.masked_fill(mask == 0, -1e9).max(1)[0] for x in states], 1)


def opt1(c, h, tau):
    n = len(c)
    cc = (plain.cosines(c, c) / tau).masked_fill(torch.eye(n, dtype=torch.bool), -torch.inf)
    return F.cross_entropy(torch.cat([plain.cosines(c, h) / tau, cc], 1), torch.arange(n))


def opt2(c, h, tau):
    return F.cross_entropy(plain.cosines(c, h) / tau, torch.arange(len(c)))


def opt3(c, views, tau):
    n, layers, _ = views.shape
    s = torch.einsum("id,mkd->imk", F.normalize(c, dim=1), F.normalize(views, dim=2)) / tau
    total = 0
    for i in range(n):
        others = torch.cat([s[i, m] for m in range(n) if m != i])
        for k in range(layers):
            total = total - torch.log_softmax(torch.cat([s[i, i, k : k + 1], others]), 0)[0]
    return total / (n * layers)


def run(changes, texts):
    config = {**DEFAULTS, **changes}
    if config.get("sgopt.head") == "none":
        del config["sgopt.head_width"]
    tuned, frozen = plain.Encoder(), plain.Encoder()
    encoder = tuned.trainable(frozen=("embeddings.",))
    start = {n: p.detach().clone() for n, p in encoder.items()}
    head = {} if config.get("sgopt.head") == "none" else initial_head()
    tau, objective = config["sgopt.temperature"], config["sgopt.objective"]

    def loss(step):
        a, b = texts[step]
        c = project(head, tuned.cls(a))
        if objective == "bt":
            contrastive = plain.nt_xent(c, project(head, tuned.cls(b)), tau)
        else:
            with torch.no_grad():
                views = pooled(
                    *frozen.states(b if objective == "bt-sg-opt" else a),
                    config.get("sgopt.view_pooling", "max"),
                )
            first = config.get("sgopt.lmin", 0)
            views = views[:, first:]
            if objective in ("sg-opt", "bt-sg-opt"):
                contrastive = opt3(c, project(head, views), tau)
            else:
                picks = [sampled_layer(views.shape[1], SEED, step, row) for row in range(len(a))]
                h = project(head, views[torch.arange(len(a)), picks])
                contrastive = {"sg": plain.nt_xent, "opt1": opt1, "opt2": opt2}[objective](
                    c, h, tau
                )
        return contrastive + config.get("sgopt.lambda", 0.1) * sum(
            ((p - start[n]) ** 2).sum() for n, p in encoder.items()
        )

    trained = {**encoder, **head}
    return golden_case(
        config, plain.train(trained, loss, config), trained, pairs=objective.startswith("bt")
    )


def main():
    texts = [
        (plain.sentences(100 + i, plain.BATCH), plain.sentences(200 + i, plain.BATCH))
        for i in range(plain.STEPS)
    ]
    cases = {}
    for name, changes in {
        "sg-opt": {},
        "sg-opt-mean": {
            "sgopt.view_pooling": "mean",
            "sgopt.lmin": 1,
            "sgopt.head": "none",
            "sgopt.lambda": 1.0,
        },
        "sg": {},
        "opt1": {"sgopt.head": "none"},
        "opt2": {"sgopt.view_pooling": "mean"},
        "bt": {"sgopt.head": "none", "sgopt.lambda": 0.0},
        "bt-sg-opt": {},
    }.items():
        cases[name] = run(
            {"sgopt.objective": "sg-opt" if name.startswith("sg-opt") else name, **changes}, texts
        )
    write("sg_opt", cases, batches=[{"a": a, "b": b} for a, b in texts])


if __name__ == "__main__":
    main()
