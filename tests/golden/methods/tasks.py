#!/usr/bin/env python3
"""Twenty-one updates of three data sets in turn, each with a loss of its own and one encoder, in
plain PyTorch: tasks.json and tasks.golden.safetensors, which tuning_golden_test.cpp holds the
library to. Each data set is one batch, so that its order does not matter, and the turns are those
of sentence-transformers' RoundRobinBatchSampler, which the program looks at. Losses: multiple
negatives ranking, CoSENT, and the triplet loss with weight 0.5.

    python tests/golden/methods/tasks.py
"""

import random

import torch
import torch.nn.functional as F
from sentence_transformers.base.sampler import RoundRobinBatchSampler
from torch.utils.data import BatchSampler, ConcatDataset, SequentialSampler

import plain
from golden_file import golden_case, write
from scored import loss_of as scored_loss

SIZES = {"pairs": 6, "scored": 5, "triplets": 4}
WEIGHTS = {"pairs": 1.0, "scored": 1.0, "triplets": 0.5}
EPOCHS = 7
CONFIG = {
    **plain.TRAINER,
    "max_steps": 21,
    "epochs": EPOCHS,
    "method": "mnrl",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "batch_size": 8,
    "mnrl.dropout": False,
    "tasks.sampling": "round_robin",
    "task2.method": "scored",
    "task2.scored.dropout": False,
    "task2.data.columns": [1, 2, 0],
    "task3.method": "triplet",
    "task3.triplet.dropout": False,
    "task3.triplet.margin": 0.5,
    "task3.data.columns": [0, 1],
    "task3.data.negatives": [2],
    "task3.weight": 0.5,
}


def turns():
    """Whose batch each update of an epoch is."""
    data = ConcatDataset([range(size) for size in SIZES.values()])
    samplers = [BatchSampler(SequentialSampler(part), 8, False) for part in data.datasets]
    firsts = [batch[0] for batch in RoundRobinBatchSampler(data, samplers)]
    ends = [0] + data.cumulative_sizes
    return [
        next(name for name, begin, end in zip(SIZES, ends, ends[1:]) if begin <= first < end)
        for first in firsts
    ]


def loss(encoder, name, data):
    a, b = encoder.mean(data["a"]), encoder.mean(data["b"])
    if name == "pairs":
        return F.cross_entropy(20.0 * plain.cosines(a, b), torch.arange(len(a)))
    if name == "scored":
        return scored_loss("cosent", a, b, torch.tensor(data["scores"], dtype=torch.double))
    a, b, x = (
        F.normalize(v, dim=1) for v in (a, b, encoder.mean(data["negatives"]))
    )  # the tiny model ends in Normalize
    return F.relu((a - b).norm(dim=1) - (a - x).norm(dim=1) + 0.5).mean()


def main():
    rng = random.Random(3)
    data = {
        name: {"a": plain.sentences(70 + i, size), "b": plain.sentences(80 + i, size)}
        for i, (name, size) in enumerate(SIZES.items())
    }
    data["scored"]["scores"] = [rng.randint(0, 10) / 2 for _ in range(SIZES["scored"])]
    data["triplets"]["negatives"] = plain.sentences(90, SIZES["triplets"])
    order = turns() * EPOCHS
    plain.STEPS = len(order)
    encoder = plain.Encoder()
    trained = encoder.trainable()
    losses = plain.train(
        trained,
        lambda step: WEIGHTS[order[step]] * loss(encoder, order[step], data[order[step]]),
        CONFIG,
    )
    write("tasks", {"round_robin": golden_case(CONFIG, losses, trained)}, data=data)


if __name__ == "__main__":
    main()
