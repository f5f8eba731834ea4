#!/usr/bin/env python3
"""Compares two builds of the library and its peers in one run with alternating measurements: size,
memory, loading time, speed and contention.

    before_after.py --before BUILD --after BUILD --model DIR --inputs DIR --texts FILE [--rounds 2]
        [--threads 2] [--peers-script tests/bench/peers.py] [--peers ort-opt,ct2-fp32,openvino]
        [--int8-peers ort-int8,ct2-int8] [--tasks mnrl,consert]

BUILD is a build folder with bench_encode, bench_train and libcontrastive.so.0. SCRIPT and --inputs
as for bench_encode.py, --texts as for contention.py; the peers run on the interpreter that runs
this. Prints Markdown: medians of the rounds; "best peer" is the best of its row. The busy
neighbours are two processes of one thread. Nothing else may run meanwhile. A build without int8 has
no such rows.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import bench_encode
import contention


def encode_lines(program, a, precision):
    command = [
        program,
        "--model",
        a.model,
        "--inputs",
        a.inputs,
        "--threads",
        str(a.threads),
        "--sets",
        "short,mixed,long",
        "--latency",
        "200",
    ]
    return bench_encode.run(
        command + (["--precision", precision] if precision != "float32" else []),
        open(os.devnull, "w"),
    )


def peer_lines(name, a):
    return bench_encode.run(
        [
            sys.executable,
            a.peers_script,
            "--peer",
            name,
            "--batches",
            "32",
            "--threads",
            str(a.threads),
            "--sets",
            "short,mixed,long",
            "--latency",
            "200",
        ],
        open(os.devnull, "w"),
    )


def note(results, who, kind, lines):
    for line in lines:
        for name, value, larger in bench_encode.quantities(line):
            results.setdefault((f"{kind}: {name}", larger), {}).setdefault(who, []).append(value)


def busy_figures(results, who, build, a):
    options = argparse.Namespace(
        programs=build, model=a.model, texts=a.texts, threads=a.threads, busy=2
    )
    inputs = tempfile.TemporaryDirectory()
    contention.write_inputs(a.texts, inputs.name)
    measures = [lambda: contention.encoding(options, inputs.name)] + [
        lambda task=task: contention.training(options, task) for task in a.tasks.split(",")
    ]
    for measure in measures:
        alone, crowded = measure(), contention.beside(options, measure)
        for name, seconds in alone.items():
            if name.startswith("training"):
                results.setdefault((f"{name}: step, s", False), {}).setdefault(who, []).append(
                    seconds
                )
            results.setdefault((f"{name}: kept beside two busy processes, %", True), {}).setdefault(
                who, []
            ).append(100 * seconds / crowded[name])


def library_size(build):
    return os.path.getsize(os.path.realpath(f"{build}/libcontrastive.so.0")) / 1e6


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("before", "after", "model", "inputs", "texts"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument(
        "--peers-script",
        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.py"),
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", default="ort-opt,ct2-fp32,openvino")
    parser.add_argument("--int8-peers", default="ort-int8,ct2-int8")
    parser.add_argument("--tasks", default="mnrl,consert")
    a = parser.parse_args()
    os.environ.update(BENCH_MODEL=a.model, BENCH_INPUTS=a.inputs)
    results = {}
    for number in range(a.rounds):
        for who, build in (("before", a.before), ("after", a.after)):
            note(results, who, "float32", encode_lines(f"{build}/bench_encode", a, "float32"))
            busy_figures(results, who, build, a)
        for peer in a.peers.split(","):
            note(results, peer, "float32", peer_lines(peer, a))
        note(results, "after", "int8", encode_lines(f"{a.after}/bench_encode", a, "int8"))
        for peer in a.int8_peers.split(","):
            note(results, peer, "int8", peer_lines(peer, a))
        print(f"round {number + 1} of {a.rounds} done", file=sys.stderr)
    print(
        f"| {a.threads} threads, medians of {a.rounds} rounds | before | after | best peer | "
        f"after : peer |\n| --- | --- | --- | --- | --- |"
    )
    print(
        f"| the library's file, MB | {library_size(a.before):.2f} | {library_size(a.after):.2f} "
        f"| | |"
    )
    for (name, larger), by_who in results.items():
        medians = {who: statistics.median(values) for who, values in by_who.items()}
        peers = {who: value for who, value in medians.items() if who not in ("before", "after")}
        best = (max if larger else min)(peers, key=peers.get) if peers else ""
        shown = {who: f"{value:,.4g}" for who, value in medians.items()}
        ratio = ""
        if best and "after" in medians:
            ours, theirs = medians["after"], peers[best]
            ratio = f"{ours / theirs if larger else theirs / ours:.2f}"
        print(
            f"| {name} | {shown.get('before', '')} | {shown.get('after', '')} | "
            f"{f'{best} {shown[best]}' if best else ''} | {ratio} |"
        )


if __name__ == "__main__":
    main()
