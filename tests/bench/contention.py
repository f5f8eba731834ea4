#!/usr/bin/env python3
"""Measures the share of their speed that encoding and training keep on a busy machine: bench_encode
and bench_train run alone, and together with N processes of one busy thread each, in alternating
rounds. With as many processors as busy processes, half is the fair share. A thread that spins, or
that waits for a preempted one, keeps less.

    contention.py --model DIR --texts FILE [--programs build/release] [--busy 2] [--threads 2]
        [--rounds 3] [--tasks mnrl,consert] [--least 0.45]

FILE has one text a line. --busy and --threads are the processors of this process if left out. For
each measure it prints the median of the rounds: alone, on the busy machine, and the share that is
kept. It exits with 1 if encoding or a training step keeps less than --least (0: only print).
Nothing else may run at the same time, because the busy processes are part of the measurement.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

WARM, STEPS = 2, 8


def lines_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def encoding(a, inputs):
    """{measure: seconds}: all texts in one call, and the median call with one text, which is
    printed but not judged."""
    lines = lines_of(
        [
            f"{a.programs}/bench_encode",
            "--model",
            a.model,
            "--inputs",
            inputs,
            "--sets",
            "mixed",
            "--threads",
            str(a.threads),
        ]
    )
    found = {}
    for line in lines:
        if line["bench"] == "encode" and line["run"] >= 0:
            found["encoding"] = line["seconds"]
        if line["bench"] == "latency":
            found["one text"] = line["p50_ms"] / 1e3
    return found


def training(a, task):
    [line] = lines_of(
        [
            f"{a.programs}/bench_train",
            "--model",
            a.model,
            "--texts",
            a.texts,
            "--task",
            task,
            "--threads",
            str(a.threads),
            "--warm",
            str(WARM),
            "--steps",
            str(STEPS),
        ]
    )
    return {f"training, {task}": line["s_per_step_median"]}


def write_inputs(texts_file, folder):
    """bench_encode's files, from the first texts."""
    with open(texts_file, encoding="utf-8") as file:
        texts = [line for line in file if line.strip()][:2000]
    single = [line for line in texts if 12 <= len(line.split()) <= 16] or texts
    for name, some in (("mixed", texts), ("single20", single)):
        with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as file:
            file.writelines(some)


def beside(a, measure):
    neighbours = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(a.busy)
    ]
    try:
        return measure()
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


def main():
    processors = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", required=True)
    parser.add_argument("--programs", default="build/release")
    parser.add_argument("--busy", type=int, default=processors)
    parser.add_argument("--threads", type=int, default=processors)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", default="mnrl,consert")
    parser.add_argument("--least", type=float, default=0.45)
    a = parser.parse_args()

    with tempfile.TemporaryDirectory() as inputs:
        write_inputs(a.texts, inputs)
        measures = [lambda: encoding(a, inputs)] + [
            lambda task=task: training(a, task) for task in a.tasks.split(",") if task
        ]
        alone, loaded = {}, {}
        for _ in range(a.rounds):
            for measure in measures:
                for found, seconds in ((alone, measure()), (loaded, beside(a, measure))):
                    for name, value in seconds.items():
                        found.setdefault(name, []).append(value)

    print(
        f"{a.threads} threads beside {a.busy} busy processes on {processors} processors, median "
        f"of {a.rounds} rounds\n"
    )
    print("| what | alone, s | beside, s | kept |\n| --- | --- | --- | --- |")
    failed = []
    for name, times in alone.items():
        before, after = statistics.median(times), statistics.median(loaded[name])
        print(f"| {name} | {before:.4f} | {after:.4f} | **{100 * before / after:.0f} %** |")
        if name != "one text" and before / after < a.least:
            failed.append(name)
    if failed:
        sys.exit(f"less than {100 * a.least:.0f} % is kept: {', '.join(failed)}")


if __name__ == "__main__":
    main()
