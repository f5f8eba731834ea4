#!/usr/bin/env python3
"""Runs bench_encode and its peers in turn, round after round, and prints this library's figures as
ratios of medians.

    bench_encode.py --model DIR --inputs DIR [--program build/release/bench_encode]
        [--peers-script tests/bench/peers.py] [--precision float32]
        [--peers ort,ort-opt,ct2-fp32,openvino] [--threads 1,2] [--rounds 5] [--out results.jsonl]

--precision is ours; with int8 the peers are --peers ort-int8,ct2-int8.

SCRIPT is a benchmark of the peers, peers.py or another: a Python program that takes --peer,
--threads, --sets, --batches, --latency and --round, reads BENCH_MODEL and BENCH_INPUTS, and prints
the JSON lines that bench_encode prints. One process a measurement; a ratio above 1 says that this
library is better (faster, sooner ready, smaller).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

OURS = "contrastive"


def run(command, sink):
    """The JSON lines that `command` prints; a peer that fails is left out of this round."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"left out: {' '.join(command)}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return []
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        sink.write(json.dumps(line) + "\n")
    sink.flush()
    return lines


def quantities(line):
    """(name, value, larger is better) of one result line."""
    if line["bench"] == "load":
        yield "load to first, s", line["seconds"], False
        yield "memory after load, MB", line["rss_mb"], False
    elif line["bench"] == "encode" and line.get("run", 0) >= 0:
        yield f"{line['set']}, tokens/s", line["tokens_per_s"], True
    elif line["bench"] == "latency":
        yield "one text, p50 ms", line["p50_ms"], False
        yield "one text, p99 ms", line["p99_ms"], False


def collect(lines, results):
    for line in lines:
        # A run that other processes disturbed says nothing.
        if line.get("foreign", 0) > 0.1:
            continue
        for name, value, larger in quantities(line):
            results.setdefault((line["threads"], name, larger), {}).setdefault(
                line["peer"], []
            ).append(value)


def describe(values):
    return f"{statistics.median(values):,.4g} ({min(values):,.4g}-{max(values):,.4g})"


def print_table(results):
    for threads in sorted({key[0] for key in results}):
        print(
            f"\n{threads} thread{'s' if threads > 1 else ''}: median (min-max); the ratio is "
            f"ours against the best peer, above 1 is better\n"
        )
        print("| | ours | best peer | ratio | all peers |\n| --- | --- | --- | --- | --- |")
        for (count, name, larger), by_peer in results.items():
            if count != threads or OURS not in by_peer or len(by_peer) < 2:
                continue
            medians = {
                peer: statistics.median(values) for peer, values in by_peer.items() if peer != OURS
            }
            best = max(medians, key=medians.get) if larger else min(medians, key=medians.get)
            ours = statistics.median(by_peer[OURS])
            ratio = ours / medians[best] if larger else medians[best] / ours
            others = "; ".join(f"{peer} {value:,.4g}" for peer, value in sorted(medians.items()))
            print(
                f"| {name} | {describe(by_peer[OURS])} | {best} {describe(by_peer[best])} | "
                f"**{ratio:.2f}** | {others} |"
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peers-script",
        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.py"),
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--program", default="build/release/bench_encode")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--peers", default="ort,ort-opt,ct2-fp32,openvino")
    parser.add_argument("--peer-batch", default="32")
    parser.add_argument("--sets", default="short,mixed,long")
    parser.add_argument("--latency", default="200")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default=os.devnull)
    a = parser.parse_args()
    os.environ.update(BENCH_MODEL=a.model, BENCH_INPUTS=a.inputs)
    results = {}
    with open(a.out, "a") as sink:
        for number in range(a.rounds):
            for threads in a.threads.split(","):
                common = [
                    "--threads",
                    threads,
                    "--sets",
                    a.sets,
                    "--latency",
                    a.latency,
                    "--round",
                    str(number),
                ]
                collect(
                    run(
                        [
                            a.program,
                            "--model",
                            a.model,
                            "--inputs",
                            a.inputs,
                            "--precision",
                            a.precision,
                            *common,
                        ],
                        sink,
                    ),
                    results,
                )
                for peer in a.peers.split(","):
                    collect(
                        run(
                            [
                                sys.executable,
                                a.peers_script,
                                "--peer",
                                peer,
                                "--batches",
                                a.peer_batch,
                                *common,
                            ],
                            sink,
                        ),
                        results,
                    )
            print(f"round {number + 1} of {a.rounds} done", file=sys.stderr)
    print_table(results)


if __name__ == "__main__":
    main()
