#!/usr/bin/env python3
"""Twenty updates of CLSR in plain PyTorch: clsr.json and clsr.golden.safetensors, which
tuning_golden_test.cpp holds the library to. The encoder is frozen, so its vectors are computed
once; what trains is the network behind it, from the library's own first weights (counter_rng.py),
in float64.

    python tests/golden/methods/clsr.py
"""

import math

import torch
import torch.nn.functional as F

import plain
from counter_rng import INITIALISE, Rng
from golden_file import golden_case, write

SEED, INPUT, HIDDEN, WIDTH = plain.TRAINER["seed"], 32, 24, 16
DEFAULTS = {
    **plain.TRAINER,
    "method": "clsr",
    "schedule": "warmup-cosine",
    "lr": 0.5,
    "weight_decay": 1e-4,
    "clip_norm": 0.0,
    "optimizer": "lars",
    "momentum": 0.9,
    "clsr.hidden": HIDDEN,
    "clsr.dimension": WIDTH,
    "clsr.base_pooling": "mean",
}


class Network:
    """The trained map v = e(x) and the projection z = h(v). Layers are named as the library names
    them."""

    def __init__(self, config):
        self.init, self.relu = (
            config.get("clsr.encoder_init", "random"),
            config.get("clsr.activation", "both"),
        )
        self.projection = config.get(
            "clsr.projection", "linear" if self.init == "random" else "none"
        )
        if config.get("clsr.loss_on") == "v":
            self.projection = "none"
        self.parameters = {}
        width = WIDTH if self.init == "random" else INPUT
        if self.init == "random":
            self.random("encoder.0", HIDDEN, INPUT)
            self.random("encoder.1", width, HIDDEN)
        elif self.init == "identity":
            self.add("encoder.0", torch.eye(INPUT), torch.zeros(INPUT))
        else:
            self.random("encoder.0", HIDDEN, INPUT)
            self.add("encoder.1", torch.zeros(INPUT, HIDDEN), torch.zeros(INPUT))
        for i in range({"none": 0, "linear": 1, "mlp": 2}[self.projection]):
            self.random(f"projection.{i}", width, width)

    def add(self, name, weight, bias):
        for part, tensor in (("weight", weight), ("bias", bias)):
            self.parameters[f"{name}.{part}"] = tensor.double().requires_grad_(True)

    def random(self, name, out, width):
        """torch.nn.Linear's start, from the library's stream; its number is how many parameters
        stand before it."""
        rng, bound = Rng(SEED, INITIALISE, 0, len(self.parameters)), 1 / math.sqrt(width)
        draw = lambda *shape: (
            torch.tensor([(2 * rng.uniform() - 1) * bound for _ in range(math.prod(shape))])
            .float()
            .reshape(shape)
        )
        weight = draw(out, width)
        self.add(name, weight, draw(out))

    def linear(self, x, name):
        return x @ self.parameters[name + ".weight"].T + self.parameters[name + ".bias"]

    def encode(self, x):
        if self.init == "identity":
            return self.linear(x, "encoder.0")
        hidden = self.linear(x, "encoder.0")
        if self.init == "residual":
            return x + self.linear(F.relu(hidden), "encoder.1")
        v = self.linear(F.relu(hidden) if self.relu in ("hidden", "both") else hidden, "encoder.1")
        return F.relu(v) if self.relu in ("output", "both") else v

    def project(self, v):
        z = v if self.projection == "none" else self.linear(v, "projection.0")
        return self.linear(F.relu(z), "projection.1") if self.projection == "mlp" else z


class Momentum:
    """SimCLR's LARS: weights of matrices take decay and a step scaled by trust |p| / |g|, biases
    plain momentum; the rate is part of the velocity. And torch's SGD, where it is not."""

    def __init__(self, parameters, config, trust=0.001):
        self.parameters, self.config, self.trust, self.lars = (
            parameters,
            config,
            trust,
            config["optimizer"] == "lars",
        )
        self.velocity = {n: torch.zeros_like(p) for n, p in parameters.items()}

    @torch.no_grad()
    def step(self, lr):
        for name, p in self.parameters.items():
            g, scale = p.grad, 1.0
            if plain.decays(name):
                g = g + self.config["weight_decay"] * p
                if self.lars and p.norm() > 0 and g.norm() > 0:
                    scale = self.trust * float(p.norm() / g.norm())
            self.velocity[name].mul_(self.config["momentum"]).add_(
                g, alpha=lr * scale if self.lars else 1.0
            )
            p.sub_(self.velocity[name], alpha=1.0 if self.lars else lr)


def run(changes, batches, encoder):
    config = {k: v for k, v in {**DEFAULTS, **changes}.items() if v is not None}
    with torch.no_grad():
        frozen = encoder.cls if config["clsr.base_pooling"] == "cls" else encoder.mean
        inputs = [torch.cat([frozen(batch["a"]), frozen(batch["b"])]) for batch in batches]
        if (
            config.get("clsr.input_norm") == "standardize"
        ):  # of the first batch, where the caller brings every one
            mean, deviation = inputs[0].mean(0), inputs[0].std(0, unbiased=False)
            inputs = [(x - mean) / deviation for x in inputs]
    network = Network(config)

    def loss(step):
        v = network.encode(inputs[step])
        z = network.project(v)
        return plain.nt_xent(
            z[: plain.BATCH], z[plain.BATCH :], config.get("clsr.temperature", 0.1)
        )

    optimizer = None if config["optimizer"] == "adamw" else Momentum(network.parameters, config)
    losses = plain.train(network.parameters, loss, config, optimizer, plain.cosine_schedule)
    with torch.no_grad():
        vectors = network.encode(inputs[0][: plain.BATCH])
    rounded = [[float(f"{x:.9g}") for x in row] for row in vectors.tolist()]
    return golden_case(config, losses, network.parameters, vectors=rounded)


def main():
    batches = [
        {
            "a": plain.sentences(700 + 100 * i, plain.BATCH),
            "b": plain.sentences(710 + 100 * i, plain.BATCH),
        }
        for i in range(plain.STEPS)
    ]
    encoder = plain.Encoder()
    # The tiny encoder's vectors all but coincide; their differences, which are what is learnt from,
    # would be rounding in float32.
    spread = {"clsr.input_norm": "standardize"}
    other = {
        **spread,
        "clsr.dimension": None,
        "optimizer": "adamw",
        "betas": ["0.9", "0.999"],
        "eps": 1e-8,
        "lr": 0.005,
        "momentum": None,
    }
    cases = {
        "paper": spread,
        "cls-sgd-mlp": {
            **spread,
            "clsr.base_pooling": "cls",
            "optimizer": "sgd",
            "lr": 0.05,
            "clsr.projection": "mlp",
            "clsr.activation": "hidden",
        },
        "on-v": {
            **spread,
            "clsr.loss_on": "v",
            "clsr.activation": "output",
            "clsr.temperature": 0.5,
            "lr": 5.0,
            "clip_norm": 0.1,
        },
        "identity": {**other, "clsr.encoder_init": "identity", "clsr.hidden": None},
        "residual": {**other, "clsr.encoder_init": "residual", "clsr.projection": "linear"},
    }
    cases = {name: run(changes, batches, encoder) for name, changes in cases.items()}
    write("clsr", cases, batches=batches)


if __name__ == "__main__":
    main()
