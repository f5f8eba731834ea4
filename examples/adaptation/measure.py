#!/usr/bin/env python3
"""Measures what retraining gains on retrieval sets, and prints a table for each set.

    measure.py --contrastive PROGRAM --model DIR --work DIR [--seeds 1,2,3] [--updates 60]
        [--rows start,mnrl,...] NAME=SET [NAME=SET ...]

SET is a BEIR folder (corpus.jsonl with titles, queries.jsonl, qrels/test.tsv) or a TSV of pairs.

- Of a folder, the training pairs are qrels/train.tsv if it exists, otherwise the title and text of
  each document. Training never sees a test query.
- Of a TSV, the first 2,000 pairs are the test: their first texts search their own 2,000 second
  texts.
- A tenth of the other pairs, at most 1,000, is the dev set that chooses the best weights.

Rows: each starts from the start model, except `distilled` and `static`, which start from the model
that `mined` trained with the same seed.

    start       the model without training
    clsr        CLSR, residual start
    mnrl        in-batch InfoNCE
    mined       mnrl with a hard negative for each pair, mined with the start model
    matryoshka  mined, with the Matryoshka loss
    distilled   half of the layers, trained on the vectors of mined with ten times as many updates
    static      a table of token vectors distilled from mined, then trained with in-batch InfoNCE

Columns: nDCG@10 and recall@1 x 100, mean over the seeds with the sample standard deviation;
nDCG@10 of the first 128 dimensions, for some rows; milliseconds per query (p50, one text at a time,
the first seed's model); megabytes of the saved weights.

Finished measurements are kept in --work, so the same command continues after an interruption. To
measure only the milliseconds again, remove NAME/ROW-ms.json.
"""

import argparse
import hashlib
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

ROWS = ("start", "clsr", "mnrl", "mined", "matryoshka", "distilled", "static")
DIMENSIONS = (384, 256, 128, 64)
SHORT = 128
TRUNCATED = ("start", "mined", "matryoshka")


class Set:
    """A retrieval set as files: pairs to train and to choose by, texts to teach with, and how it is
    tested."""

    def __init__(self, name, path, work):
        self.name, self.folder = name, work / name
        self.folder.mkdir(parents=True, exist_ok=True)
        path = pathlib.Path(path)
        if path.is_dir():
            documents = {d["_id"]: d for d in map(json.loads, open(path / "corpus.jsonl"))}
            train = path / "qrels" / "train.tsv"
            if train.exists():
                queries = {
                    q["_id"]: q["text"] for q in map(json.loads, open(path / "queries.jsonl"))
                }
                judged = (line.split() for line in list(open(train))[1:])
                pairs = [
                    (queries[q], whole(documents[d])) for q, d, score in judged if float(score) > 0
                ]
            else:
                pairs = [
                    (d["title"], d["text"])
                    for d in documents.values()
                    if d.get("title") and d["text"]
                ]
            # When a title is the query for its text, the same text with its title in front would be
            # mined as a negative.
            self.test, corpus = (
                path,
                [whole(d) if train.exists() else d["text"] for d in documents.values()],
            )
            queries = [json.loads(line)["text"] for line in open(path / "queries.jsonl")]
        else:
            lines = [line.rstrip("\n").split("\t")[:2] for line in open(path)]
            test, pairs = lines[:2000], lines[2000:]
            self.test = self.folder / "test.tsv"
            self.test.write_text("".join(f"{a}\t{b}\n" for a, b in test))
            corpus, queries = [b for _, b in pairs], [a for a, _ in test]
        pairs = [(clean(a), clean(b)) for a, b in pairs]
        pairs.sort(
            key=lambda pair: hashlib.sha256("\t".join(pair).encode()).digest()
        )  # the same order on every machine
        held = min(len(pairs) // 10, 1000)
        self.dev, self.pairs, self.corpus, self.queries = (
            self.folder / f for f in ("dev.tsv", "pairs.tsv", "corpus.txt", "queries.txt")
        )
        self.dev.write_text("".join(f"{a}\t{b}\n" for a, b in pairs[:held]))
        self.training = pairs[held:]
        self.texts = [clean(text) for text in corpus]
        self.queries.write_text("".join(clean(q) + "\n" for q in queries[:200]))

    def write(self, most, seed):
        """At most so many training pairs, and the documents that negatives come from."""
        some = self.training
        if len(some) > most:
            some = random.Random(seed).sample(some, most)
        self.pairs.write_text("".join(f"{a}\t{b}\n" for a, b in some))
        texts = self.texts
        if len(texts) > 4 * most:
            texts = random.Random(seed).sample(texts, 4 * most)
        self.corpus.write_text("".join(text + "\n" for text in texts))
        return len(some)


def whole(document):
    return (document.get("title", "") + " " + document["text"]).strip()


def clean(text):
    return " ".join(text.split())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contrastive", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--updates", type=int, default=60, help="updates of a run, at most")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("sets", nargs="+", metavar="NAME=SET")
    options = parser.parse_args()

    def run(*words):
        done = subprocess.run(
            [options.contrastive, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            sys.exit(
                f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr[-2000:]}"
            )
        return done.stdout

    def settings(**keys):
        return [
            word
            for key, value in keys.items()
            for word in ("--set", f"{key.replace('__', '.')}={value}")
        ]

    def figures(data, model, short):
        def measure(*more):
            found = json.loads(
                run(
                    "eval",
                    "--model",
                    model,
                    "--task",
                    "retrieval",
                    "--data",
                    data.test,
                    "--json",
                    *more,
                )
            )
            return {name: 100 * find(found, name) for name in ("ndcg@10", "recall@1")}

        measured = measure()
        if short:
            measured["short"] = measure(*settings(encode__truncate_dim=SHORT))["ndcg@10"]
        measured["mb"] = (
            sum(
                f.stat().st_size
                for f in pathlib.Path(model).rglob("*.safetensors")
                if "training_state" not in f.parts
            )
            / 1e6
        )
        return measured

    def latency(data, model):
        return find(
            json.loads(
                run(
                    "bench",
                    "--model",
                    model,
                    "--what",
                    "encode",
                    "--texts",
                    data.queries,
                    "--latency",
                    100,
                    "--json",
                )
            ),
            "text_ms_p50",
        )

    def kept(path, measure):
        if not path.exists():
            path.write_text(json.dumps(measure()))
        return json.loads(path.read_text())

    def train(data, output, method, start, pairs, seed, *more, lr, updates=options.updates):
        shutil.rmtree(output, ignore_errors=True)
        run(
            "train",
            "--method",
            method,
            "--model",
            start,
            "--train",
            pairs,
            "--dev",
            data.dev,
            "--output",
            output,
            "--quiet",
            "--batch-size",
            options.batch,
            "--max-steps",
            updates,
            *settings(
                seed=seed,
                lr=lr,
                warmup_ratio=0.1,
                dev_task="pairs",
                eval_every=max(10, updates // 4),
            ),
            *more,
        )

    def mnrl(data, output, start, pairs, seed, *more, lr=2e-5):
        train(
            data,
            output,
            "mnrl",
            start,
            pairs,
            seed,
            *settings(mnrl__max_length=128, data__duplicates="apart"),
            *more,
            lr=lr,
        )

    def make(data, row, seed):
        """The folder of a row's model."""
        if row == "start":
            return options.model
        output = data.folder / f"{row}-{seed}"
        if (output / "done").exists():
            return output
        triplets, mined = data.folder / f"triplets-{seed}.jsonl", data.folder / f"mined-{seed}"
        data.write(options.updates * options.batch, seed)
        if row in ("mined", "matryoshka") and not triplets.exists():
            run(
                "mine",
                "--model",
                options.model,
                "--pairs",
                data.pairs,
                "--corpus",
                data.corpus,
                "--num-negatives",
                1,
                "--range-max",
                20,
                "--sampling",
                "random",
                "--seed",
                seed,
                "--cache",
                data.folder / "vectors",
                "--output",
                triplets,
                "--quiet",
            )
        if row in ("distilled", "static"):
            make(data, "mined", seed)
        if row == "clsr":
            shutil.rmtree(output, ignore_errors=True)
            run(
                "train",
                "--method",
                "clsr",
                "--model",
                options.model,
                "--train",
                data.pairs,
                "--dev",
                data.dev,
                "--output",
                output,
                "--quiet",
                "--batch-size",
                512,
                "--max-steps",
                10 * options.updates,
                *settings(
                    seed=seed,
                    clsr__encoder_init="residual",
                    clsr__temperature=0.05,
                    clsr__projection="none",
                    optimizer="adamw",
                    lr=0.001,
                    warmup_ratio=0.1,
                    dev_task="pairs",
                    eval_every=options.updates,
                    cache=data.folder / "cache",
                ),
            )
        elif row == "mnrl":
            mnrl(data, output, options.model, data.pairs, seed)
        elif row == "mined":
            mnrl(data, output, options.model, triplets, seed)
        elif row == "matryoshka":
            mnrl(
                data,
                output,
                options.model,
                triplets,
                seed,
                *settings(matryoshka__dims=",".join(map(str, DIMENSIONS))),
            )
        elif row == "distilled":
            half, texts = data.folder / f"half-{seed}", data.folder / "teach.txt"
            own = [text for line in open(data.pairs) for text in line.rstrip("\n").split("\t")]
            texts.write_text("".join(text + "\n" for text in own + data.texts))
            layers = json.load(open(pathlib.Path(options.model) / "config.json"))[
                "num_hidden_layers"
            ]
            shutil.rmtree(half, ignore_errors=True)
            run(
                "create",
                *settings(
                    student__encoder=mined,
                    student__layers=",".join(str(i) for i in range(0, layers, 2)),
                ),
                "--output",
                half,
                "--quiet",
            )
            # A student needs more than fine-tuning: its layers must learn to compensate for the
            # removed layers.
            train(
                data,
                output,
                "distill",
                half,
                texts,
                seed,
                *settings(
                    distill__teacher=mined, distill__max_length=128, cache=data.folder / "cache"
                ),
                lr=1e-4,
                updates=10 * options.updates,
            )
        elif row == "static":
            table = data.folder / f"table-{seed}"
            shutil.rmtree(table, ignore_errors=True)
            run("create", *settings(static__encoder=mined), "--output", table, "--quiet")
            mnrl(data, output, table, data.pairs, seed, lr=5e-3)
        (output / "done").write_text("")
        return output

    for word in options.sets:
        name, path = word.split("=", 1)
        data = Set(name, path, options.work)
        settings_file, told = (
            data.folder / "settings.json",
            json.dumps([str(options.model), options.updates, options.batch, path]),
        )
        if settings_file.exists() and settings_file.read_text() != told:
            sys.exit(
                f"{data.folder} has figures of other settings, {settings_file.read_text()}: name "
                f"another --work"
            )
        settings_file.write_text(told)
        pairs = data.write(options.updates * options.batch, 1)
        print(
            f"\n**{name}**: {len(data.texts):,} texts, {pairs:,} pairs of a run, "
            f"{options.updates} updates of {options.batch}, seeds {options.seeds}\n"
        )
        print(
            f"| | nDCG@10 | recall@1 | nDCG@10, {SHORT} dimensions | ms a query | MB |\n"
            f"| --- | --- | --- | --- | --- | --- |",
            flush=True,
        )
        for row in options.rows.split(","):
            seeds = [1] if row == "start" else list(map(int, options.seeds.split(",")))
            measured = [
                kept(
                    data.folder / f"{row}-{seed}.json",
                    lambda: figures(data, make(data, row, seed), row in TRUNCATED),
                )
                for seed in seeds
            ]
            ms = kept(
                data.folder / f"{row}-ms.json", lambda: latency(data, make(data, row, seeds[0]))
            )

            def cell(key, digits=2):
                values = [m[key] for m in measured if key in m]
                if not values:
                    return ""
                text = f"{statistics.mean(values):.{digits}f}"
                return (
                    text if len(values) == 1 else f"{text} ({statistics.stdev(values):.{digits}f})"
                )

            print(
                f"| {row} | {cell('ndcg@10')} | {cell('recall@1')} | {cell('short')} | {ms:.3g} "
                f"| {measured[0]['mb']:.1f} |",
                flush=True,
            )


def find(found, name):
    """The first number with this name, at any depth."""
    if isinstance(found, dict):
        if name in found:
            return found[name]
        found = list(found.values())
    for value in found if isinstance(found, list) else ():
        inner = find(value, name)
        if inner is not None:
            return inner
    return None


if __name__ == "__main__":
    main()
