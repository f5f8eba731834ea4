#!/usr/bin/env python3
"""Compares `contrastive eval --task transfer` with SentEval's transfer protocol in PyTorch, on the
embeddings that `contrastive encode` writes. The classifier, its early stopping and the
cross-validation are implemented here from SentEval's description
(core/torch/tasks/transfer/README.md) with torch.nn, torch.optim and scikit-learn alone.

    transfer.py --model DIR --data DIR [--program build/release/contrastive]
        [--tasks MR,SUBJ,MPQA,SST2,SST5,TREC,MRPC] [--preset default] [--seeds 1111]
        [--draws library,own] [--bound 0.3] [--write tests/golden/eval/transfer_minilm.json]

--data is a folder with TASK/{all,train,dev,test}.tsv. With the draws "library" PyTorch runs on the
folds, orders and first weights of library_draws.py, the library's own, and a difference of more
than --bound points is a bug: the exit code is then 1. With "own" it runs on scikit-learn's and
PyTorch's draws: the difference then is what chance makes of it. Last comes scikit-learn's
LogisticRegression (C = 10, nothing held out), for the order of magnitude. Accuracies x 100, means
over the seeds. --write keeps PyTorch's figures on the library's draws for
tests/core/torch/tasks/transfer/transfer_real_test.cpp; entries of other tasks and presets in that
file stay. Needs torch, scikit-learn, numpy.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from torch import nn

from library_draws import LibraryDraws

GRID = [1e-5, 1e-4, 1e-3, 1e-2]
PRESETS = {
    "default": dict(kfold=10, optim=torch.optim.Adam, batch=64, tenacity=5, epoch_size=4, nhid=0),
    "prototyping": dict(
        kfold=5, optim=torch.optim.RMSprop, batch=128, tenacity=3, epoch_size=2, nhid=0
    ),
    "sg-opt": dict(kfold=10, optim=torch.optim.Adam, batch=64, tenacity=5, epoch_size=4, nhid=50),
}
NESTED, FOLDS, DEV = ("MR", "CR", "SUBJ", "MPQA"), ("TREC", "MRPC"), ("SST2", "SST5")
MAX_EPOCH = 200


class OwnDraws:
    def __init__(self, seed):
        self.seed = seed
        torch.manual_seed(seed)

    def folds(self, labels, k, outer=None):
        result = np.zeros(len(labels), int)
        seed = self.seed + (0 if outer is None else 1 + outer)
        for fold, (_, held) in enumerate(
            StratifiedKFold(k, shuffle=True, random_state=seed).split(labels, labels)
        ):
            result[held] = fold
        return result

    def hold_out(self, count, share, test_fold):
        drawn = np.random.default_rng((self.seed, test_fold)).permutation(count)
        return drawn[int(share * count) :], drawn[: int(share * count)]

    def order(self, count, number):
        return np.random.default_rng((self.seed, number, count)).permutation(count)

    def weights(self, shapes):
        layers = [nn.Linear(i, o) for i, o in shapes]
        return [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers]


DRAWS = {"library": LibraryDraws, "own": OwnDraws}


class Classifier:
    def __init__(self, settings, inputs, classes, l2, draws):
        self.settings, self.draws = settings, draws
        hidden = settings["nhid"]
        shapes = [(inputs, classes)] if hidden == 0 else [(inputs, hidden), (hidden, classes)]
        linear = [nn.Linear(i, o) for i, o in shapes]
        with torch.no_grad():
            for layer, (weight, bias) in zip(linear, draws.weights(shapes)):
                layer.weight.copy_(torch.from_numpy(weight))
                layer.bias.copy_(torch.from_numpy(bias))
        self.model = (
            nn.Sequential(linear[0])
            if hidden == 0
            else nn.Sequential(linear[0], nn.Dropout(0.0), nn.Sigmoid(), linear[1])
        )
        self.optimizer = settings["optim"](self.model.parameters(), weight_decay=l2)
        self.loss = nn.CrossEntropyLoss()

    def fit(self, x, y, dev_x, dev_y):
        passes, count, best, kept = 0, 0, -1.0, None
        while passes <= MAX_EPOCH:
            self.model.train()
            for _ in range(self.settings["epoch_size"]):
                order = torch.from_numpy(self.draws.order(len(x), passes))
                for begin in range(0, len(x), self.settings["batch"]):
                    chosen = order[begin : begin + self.settings["batch"]]
                    loss = self.loss(self.model(x[chosen]), y[chosen])
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                passes += 1
            score = float((self.predict(dev_x) == dev_y).double().mean())
            if score > best:
                best, kept = score, copy.deepcopy(self.model)
            else:
                if count >= self.settings["tenacity"]:
                    break
                count += 1
        self.model = kept
        return best

    def predict(self, x):
        self.model.eval()
        with torch.no_grad():
            return self.model(x).argmax(1)


def choose(settings, x, y, classes, draws, outer):
    """The l2 that scores best in cross-validation, and its score."""
    folds = draws.folds(y.numpy(), settings["kfold"], outer)
    scores = []
    for l2 in GRID:
        of_folds = []
        for fold in range(settings["kfold"]):
            held = torch.from_numpy(folds == fold)
            of_folds.append(
                Classifier(settings, x.shape[1], classes, l2, draws).fit(
                    x[~held], y[~held], x[held], y[held]
                )
            )
        scores.append(np.mean(of_folds))
    return GRID[int(np.argmax(scores))], max(scores)


def refit(settings, x, y, classes, l2, test_x, draws, test_fold):
    rest, held = (torch.from_numpy(part) for part in draws.hold_out(len(x), 0.05, test_fold))
    classifier = Classifier(settings, x.shape[1], classes, l2, draws)
    classifier.fit(x[rest], y[rest], x[held], y[held])
    return classifier.predict(test_x)


def measure(task, settings, parts, classes, draws):
    """Accuracy on dev and test; F1 of class 1 where there is a test part."""
    x, y = parts[0]
    if task in NESTED:
        folds, devs, tests = draws.folds(y.numpy(), settings["kfold"]), [], []
        for fold in range(settings["kfold"]):
            held = torch.from_numpy(folds == fold)
            l2, dev = choose(settings, x[~held], y[~held], classes, draws, fold)
            predicted = refit(settings, x[~held], y[~held], classes, l2, x[held], draws, fold)
            devs.append(dev)
            tests.append(float((predicted == y[held]).double().mean()))
        return {"dev": np.mean(devs), "test": np.mean(tests)}
    test_x, test_y = parts[-1]
    if task in FOLDS:
        l2, dev = choose(settings, x, y, classes, draws, 0)
        predicted = refit(settings, x, y, classes, l2, test_x, draws, 0)
    else:
        fits = []
        for l2 in GRID:
            classifier = Classifier(settings, x.shape[1], classes, l2, draws)
            fits.append((classifier.fit(x, y, *parts[1]), classifier))
        dev, classifier = max(fits, key=lambda fit: fit[0])
        predicted = classifier.predict(test_x)
    found = {"dev": dev, "test": float((predicted == test_y).double().mean())}
    return {**found, "f1": f1_score(test_y, predicted)} if task == "MRPC" else found


def logistic_regression(task, parts, seed):
    def fit(x, y):
        return LogisticRegression(C=10, max_iter=2000).fit(x, y)

    x, y = (part.numpy() for part in parts[0])
    if task not in NESTED:
        return fit(x, y).score(*(part.numpy() for part in parts[-1]))
    splits = StratifiedKFold(5, shuffle=True, random_state=seed).split(x, y)
    return float(np.mean([fit(x[rest], y[rest]).score(x[held], y[held]) for rest, held in splits]))


def read_parts(folder, task):
    names = (
        ("all",)
        if task in NESTED
        else ("train", "test")
        if task in FOLDS
        else ("train", "dev", "test")
    )
    texts = [(folder / task / f"{name}.tsv").read_text(encoding="utf-8") for name in names]
    return [[line.split("\t") for line in text.split("\n") if line] for text in texts]


def embed(arguments, parts):
    """Features and labels of each part, from one run of `contrastive encode` over the distinct
    texts."""
    texts = list(dict.fromkeys(text for part in parts for row in part for text in row[1:]))
    number = {text: i for i, text in enumerate(texts)}
    labels = {
        label: i for i, label in enumerate(sorted({row[0] for part in parts for row in part}))
    }
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "texts.jsonl", pathlib.Path(folder) / "texts.npy"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        subprocess.run(
            [
                arguments.program,
                "encode",
                "--model",
                arguments.model,
                "-i",
                source,
                "-o",
                target,
                "--quiet",
            ],
            check=True,
        )
        vectors = np.load(target)
    features = []
    for part in parts:
        first = vectors[[number[row[1]] for row in part]]
        if len(part[0]) == 3:
            second = vectors[[number[row[2]] for row in part]]
            first = np.concatenate([np.abs(first - second), first * second], 1)
        features.append((torch.from_numpy(first), torch.tensor([labels[row[0]] for row in part])))
    return features, len(labels)


def library(arguments, task):
    command = [
        arguments.program,
        "eval",
        "--model",
        arguments.model,
        "--task",
        "transfer",
        "--data",
        arguments.data,
        "--json",
        "--set",
        f"tasks={json.dumps([task])}",
        "--set",
        f"preset={arguments.preset}",
        "--set",
        f"seeds={json.dumps(arguments.seeds.split(','))}",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)["tasks"][task]


def keep(path, entry):
    """The entry of this task, preset and seeds is replaced or added."""
    names = ("task", "preset", "seeds")
    old = json.loads(path.read_text())["tasks"] if path.exists() else []
    entries = [one for one in old if any(one[name] != entry[name] for name in names)] + [entry]
    entries.sort(key=lambda one: [str(one[name]) for name in names])
    about = (
        f"all-MiniLM-L6-v2: SentEval's protocol by torch {torch.__version__} on the library's "
        f"draws; written by transfer.py, scikit-learn "
        f"{sklearn.__version__}"
    )
    lines = ",\n".join(json.dumps(one) for one in entries)
    path.write_text(f'{{"about": {json.dumps(about)}, "tasks": [\n{lines}\n]}}\n')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument("--tasks", default="MR,SUBJ,MPQA,SST2,SST5,TREC,MRPC")
    parser.add_argument("--preset", default="default", choices=PRESETS)
    parser.add_argument("--seeds", default="1111")
    parser.add_argument("--draws", default="library,own", help="some of: " + ", ".join(DRAWS))
    parser.add_argument(
        "--bound",
        type=float,
        default=0.3,
        help="largest difference on the library's draws, in points",
    )
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    draws = arguments.draws.split(",")
    if unknown := [name for name in draws if name not in DRAWS]:
        parser.error(f"--draws: {', '.join(unknown)}")
    settings, worst, seeds = (
        PRESETS[arguments.preset],
        0.0,
        [int(seed) for seed in arguments.seeds.split(",")],
    )
    print(
        f"preset {arguments.preset}, seeds {arguments.seeds}, torch {torch.__version__}, "
        f"scikit-learn {sklearn.__version__}, "
        f"{torch.get_num_threads()} threads"
    )
    print(f"{'task':6}{'classifier':26}{'dev':>8}{'test':>8}{'F1':>8}{'ours -':>8}{'seconds':>9}")

    def show(task, who, found, seconds, difference=None):
        figures = "".join(
            f"{100 * found[name]:8.2f}" if name in found else f"{'':8}"
            for name in ("dev", "test", "f1")
        )
        apart = "" if difference is None else f"{difference:+.2f}"
        print(f"{task:6}{who:26}{figures}{apart:>8}{seconds:9.0f}", flush=True)

    for task in arguments.tasks.split(","):
        start = time.time()
        ours = library(arguments, task)
        show(task, "contrastive, with encoding", ours, time.time() - start)
        parts, classes = embed(arguments, read_parts(pathlib.Path(arguments.data), task))
        for name in draws:
            start = time.time()
            runs = [measure(task, settings, parts, classes, DRAWS[name](seed)) for seed in seeds]
            found = {figure: float(np.mean([run[figure] for run in runs])) for figure in runs[0]}
            difference = 100 * (ours["test"] - found["test"])
            show(task, f"PyTorch, {name} draws", found, time.time() - start, difference)
            if name == "library":
                worst = max(worst, abs(difference))
                if arguments.write:
                    keep(
                        arguments.write,
                        {
                            "task": task,
                            "preset": arguments.preset,
                            "seeds": seeds,
                            **{k: round(v, 8) for k, v in found.items()},
                        },
                    )
        start = time.time()
        show(
            task,
            "LogisticRegression",
            {"test": logistic_regression(task, parts, seeds[0])},
            time.time() - start,
        )
    if "library" in draws:
        print(f"the largest difference on the same draws is {worst:.2f} points")
    sys.exit(0 if worst <= arguments.bound else 1)


if __name__ == "__main__":
    main()
