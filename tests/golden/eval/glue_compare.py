#!/usr/bin/env python3
"""Compares fine-tuning on real GLUE tasks with transformers' BertForSequenceClassification:
`contrastive eval --task glue` without dropout, and the same run in PyTorch with the library's fresh
head, order of the examples and recipe (core/torch/tasks/glue/README.md), in float32. Prints the
mean loss and the figures of the dev set of both, and exits with 1 where they differ by more than
--loss (relative) or --points.

    glue_compare.py --model DIR --data DIR [--tasks WNLI,RTE,MRPC,CoLA] [--updates 60] [--lr 1e-4]
        [--batch-size 16] [--seed 1] [--program build/release/contrastive] [--threads 1]

--model is a folder with a BERT and its pooler, --data holds TASK/{train,dev}.tsv of lines "label
TAB text [TAB text]" (val.tsv for dev). Rounding in another order makes the two drift apart slowly,
so --updates should stay small. Needs torch, transformers, scikit-learn, safetensors.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import torch
import torch.nn.functional as F
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
from transformers import AutoTokenizer, BertForSequenceClassification
from transformers.utils import logging

import library_draws  # which finds the folder of the next two
import plain
from counter_rng import normal_matrix

LABELS = {
    "WNLI": ["0", "1"],
    "RTE": ["not_entailment", "entailment"],
    "QNLI": ["not_entailment", "entailment"],
    "MRPC": ["0", "1"],
    "CoLA": ["0", "1"],
}
FIGURES = {
    "MRPC": {"accuracy": accuracy_score, "f1": f1_score},
    "CoLA": {"matthews": matthews_corrcoef},
}
MAX_LENGTH, WARMUP = 128, 6


def read(folder, names, labels):
    path = next(folder / name for name in names if (folder / name).exists())
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [row[1:] for row in rows], [labels.index(row[0]) for row in rows]


def theirs(arguments, task):
    folder, labels = pathlib.Path(arguments.data) / task, LABELS[task]
    texts, targets = read(folder, ["train.tsv"], labels)
    dev_texts, dev_targets = read(folder, ["dev.tsv", "val.tsv"], labels)
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    model = (
        BertForSequenceClassification.from_pretrained(arguments.model, num_labels=len(labels))
        .float()
        .eval()
    )
    width = model.config.hidden_size
    model.classifier.weight.data.copy_(
        torch.tensor(
            normal_matrix(len(labels), width, model.config.initializer_range, arguments.seed, 1)
        )
    )
    model.classifier.bias.data.zero_()
    parameters = dict(model.named_parameters())
    plain.decays = lambda name: True
    optimizer = plain.Adam(parameters, "adamw-hf", [0.9, 0.98], 1e-6, 0.1)

    def logits(rows):
        columns = [[row[i] for row in rows] for i in range(len(rows[0]))]
        return model(
            **tokenizer(
                *columns,
                padding=True,
                truncation="longest_first",
                max_length=MAX_LENGTH,
                return_tensors="pt",
            )
        ).logits

    losses, epoch, begin = [], 0, 0
    for step in range(arguments.updates):
        if begin >= len(texts):
            losses, epoch, begin = [], epoch + 1, 0
        chosen = library_draws.order(arguments.seed, len(texts), epoch)[
            begin : begin + arguments.batch_size
        ].tolist()
        begin += arguments.batch_size
        model.zero_grad()
        loss = F.cross_entropy(
            logits([texts[i] for i in chosen]), torch.tensor([targets[i] for i in chosen])
        )
        loss.backward()
        rate = (
            max(step, 1) / WARMUP
            if step <= WARMUP
            else 1 - (step - WARMUP) / (arguments.updates - WARMUP)
        )
        optimizer.step(arguments.lr * rate)
        losses.append(loss.item())
    with torch.no_grad():
        predicted = (
            torch.cat([logits(dev_texts[i : i + 64]) for i in range(0, len(dev_texts), 64)])
            .argmax(1)
            .tolist()
        )
    figures = FIGURES.get(task, {"accuracy": accuracy_score})
    return {
        "loss": sum(losses) / len(losses),
        **{name: float(figure(dev_targets, predicted)) for name, figure in figures.items()},
    }


def ours(arguments, task):
    keys = {
        "tasks": json.dumps([task]),
        "lr": json.dumps([str(arguments.lr)]),
        "batch_size": json.dumps([str(arguments.batch_size)]),
        "seeds": json.dumps([str(arguments.seed)]),
        "max_steps": arguments.updates,
        "warmup_steps": WARMUP,
        "max_length": MAX_LENGTH,
        "keep": "last",
        "dropout": 0,
        "head_dropout": 0,
    }
    command = [
        arguments.program,
        "eval",
        "--model",
        arguments.model,
        "--task",
        "glue",
        "--data",
        arguments.data,
        "--json",
    ]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=dict(os.environ, OMP_NUM_THREADS=str(arguments.threads)),
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["tasks"][task]["runs"][0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--tasks", default="WNLI,RTE,MRPC,CoLA")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--loss", type=float, default=1e-3)
    parser.add_argument("--points", type=float, default=1.0)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()
    failed = False
    for task in arguments.tasks.split(","):
        found, expected = ours(arguments, task), theirs(arguments, task)
        line = (
            f"{task}: {arguments.updates} updates; loss {found['loss']:.6f}, transformers "
            f"{expected['loss']:.6f}"
        )
        failed |= not abs(found["loss"] - expected["loss"]) <= arguments.loss * expected["loss"]
        for name in expected.keys() - {"loss"}:
            line += f"; {name} {100 * found[name]:.2f}, transformers {100 * expected[name]:.2f}"
            failed |= not abs(found[name] - expected[name]) <= arguments.points / 100
        print(line, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
