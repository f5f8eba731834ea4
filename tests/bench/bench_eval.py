#!/usr/bin/env python3
"""Compares `contrastive eval --task sts` with sentence-transformers: five STS data sets with one
encoder, from the start of the process to the figures.

    bench_eval.py --model DIR --data DIR [--program build/release/contrastive]
        [--sets STS12,STS14,STS15,STSB,SICK] [--threads 2] [--batches 32,64] [--rounds 5]
        [--out results.jsonl]

--data is a folder with one folder a data set, of files "score TAB sentence TAB sentence"; of STSB
and SICK, test.tsv is taken. Ours is one process with all sets as a suite. The peer does as its
users do: one process, each file through EmbeddingSimilarityEvaluator. In turn, round after round, a
process a measurement; a ratio above 1 says that this library is faster, or smaller. Figures are
compared as well: a fast wrong answer is none.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

OURS = "contrastive"


def files_of(folder):
    """The files that both sides read: the test split where there is one, else all."""
    test = folder / "test.tsv"
    return [test] if test.is_file() else sorted(folder.glob("*.tsv"))


def peer(arguments):
    """In a process of its own: prints {set: {file: Spearman}}."""
    import torch

    torch.set_num_threads(arguments.threads)
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    model = SentenceTransformer(arguments.model, device="cpu")
    found = {}
    for folder in sorted(arguments.data.iterdir()):
        for path in files_of(folder):
            rows = [
                line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line
            ]
            evaluator = EmbeddingSimilarityEvaluator(
                [row[1] for row in rows],
                [row[2] for row in rows],
                [float(row[0]) for row in rows],
                main_similarity="cosine",
                batch_size=int(arguments.peer),
                write_csv=False,
            )
            found.setdefault(folder.name, {})[path.stem] = float(
                evaluator(model)["spearman_cosine"]
            )
    print(json.dumps(found))


def command_of(who, arguments, data):
    if who == OURS:
        return [
            arguments.program,
            "eval",
            "--model",
            arguments.model,
            "--task",
            "sts",
            "--data",
            str(data),
            "--json",
        ]
    return [
        sys.executable,
        __file__,
        "--peer",
        who,
        "--model",
        arguments.model,
        "--data",
        str(data),
        "--threads",
        str(arguments.threads),
    ]


def figures_of(who, output):
    report = json.loads(output)
    if who != OURS:
        return report
    return {
        name: {subset: figures["spearman"] for subset, figures in found["subsets"].items()}
        for name, found in report["sets"].items()
    }


def busy_seconds():
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def measure(who, arguments, data, number):
    """Wall time and peak memory of the whole process, and what it found."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    environment = dict(
        os.environ,
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        TOKENIZERS_PARALLELISM="true" if arguments.threads > 1 else "false",
        **{name: str(arguments.threads) for name in names},
    )
    with tempfile.TemporaryFile("w+") as output:
        busy, begin = busy_seconds(), time.perf_counter()
        child = subprocess.Popen(
            command_of(who, arguments, data),
            env=environment,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(
                f"{who} failed with {child.returncode}: "
                f"{' '.join(command_of(who, arguments, data))}"
            )
        output.seek(0)
        found = figures_of(who, output.read())
    mine = usage.ru_utime + usage.ru_stime
    foreign = max(0.0, busy_seconds() - busy - mine) / (seconds * os.cpu_count())
    line = {
        "bench": "sts-suite",
        "peer": who if who == OURS else f"sentence-transformers, batch {who}",
        "threads": arguments.threads,
        "round": number,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(mine, 2),
        "peak_rss_mb": round(usage.ru_maxrss / 1024, 1),
        "foreign": round(foreign, 3),
    }
    return line, found


def compare(arguments):
    with tempfile.TemporaryDirectory() as name, open(arguments.out, "a") as sink:
        data = pathlib.Path(name)
        for folder in arguments.sets.split(","):
            (data / folder).symlink_to(
                (arguments.data / folder).resolve(), target_is_directory=True
            )
        lines, figures = {}, {}
        for number in range(arguments.rounds):
            for who in (OURS, *arguments.batches.split(",")):
                line, figures[who] = measure(who, arguments, data, number)
                lines.setdefault(who, []).append(line)
                print(json.dumps(line), flush=True)
                sink.write(json.dumps(line) + "\n")
    difference = max(
        abs(figures[OURS][folder][file] - value)
        for who in lines
        if who != OURS
        for folder, found in figures[who].items()
        for file, value in found.items()
    )
    files = sum(len(found) for found in figures[OURS].values())
    median = {
        who: {
            key: statistics.median(line[key] for line in mine)
            for key in ("seconds", "cpu_seconds", "peak_rss_mb")
        }
        for who, mine in lines.items()
    }
    print(
        f"\n{arguments.sets}: {files} files, {arguments.threads} threads, {arguments.rounds} "
        f"rounds; medians (min-max)"
    )
    for who, mine in lines.items():
        seconds = [line['seconds'] for line in mine]
        spread = f"{min(seconds):.2f}-{max(seconds):.2f}"
        ratio = (
            ""
            if who == OURS
            else (
                f"; takes {median[who]['seconds'] / median[OURS]['seconds']:.2f} times as long, "
                f"{median[who]['peak_rss_mb'] / median[OURS]['peak_rss_mb']:.2f} times the memory"
            )
        )
        print(
            f"{mine[0]['peer']}: {median[who]['seconds']:.2f} s ({spread}), processor "
            f"{median[who]['cpu_seconds']:.2f} s, "
            f"peak {median[who]['peak_rss_mb']:.0f} MB{ratio}"
        )
    print(f"the largest difference in Spearman over the files is {difference:.1e}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument("--sets", default="STS12,STS14,STS15,STSB,SICK")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", default="32,64", help="of the peer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default=os.devnull)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments)
    else:
        compare(arguments)


if __name__ == "__main__":
    main()
