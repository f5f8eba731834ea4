#!/usr/bin/env python3
"""Simulates data-parallel training on many ranks: what core/torch/dist/README.md says of 8 to 1,024
ranks comes from here.

  tests/bench/simulate_ranks.py --tokens-per-second N [N ...] [--network NAME] [--preset NAME]
      [--updates N]

--tokens-per-second takes what was measured on one rank, one figure an update (`tokens_per_second`
of metrics.jsonl): each simulated rank draws its speed of each update from them, so that the slowest
of many makes the others wait as it does in life. --speed multiplies them, for a machine that is so
many times as fast.

One update of core/torch/dist is replayed, rank by rank. Transfers are those of rings; Gloo's own
order may differ:
  1. every rank encodes its share of the batch, without gradients where the batch is larger than a
     part (cached gradients);
  2. the vectors of all ranks go around a ring (all-gather): W - 1 transfers of one rank's rows,
     none of which begins before both neighbours are ready;
  3. every rank compares all rows with all rows: the same work on every rank, of which more ranks
     take nothing away;
  4. every rank differentiates, after it has encoded once more where gradients are cached. Gradients
     go in buckets, each as soon as it is complete: a ring of W - 1 transfers of a W-th of the
     bucket, one bucket behind the other. When the backward pass is over, a second ring gathers the
     sums of all buckets;
  5. the optimiser steps.

The networks' figures are what their makers and clouds state for a transfer between two machines,
not measurements.
"""

import argparse
import random
import statistics

NETWORKS = {  # seconds that a transfer takes before its first byte, bytes a second
    "1GbE": (60e-6, 0.117e9),
    "10GbE": (40e-6, 1.15e9),
    "25GbE": (30e-6, 2.9e9),
    "100GbE": (20e-6, 11.5e9),
    "400Gb": (6e-6, 46e9),
}

# "compared": similarities of one update, those of all views with all for NT-Xent, of anchors with
# positives for MNRL
PRESETS = {
    # CLEAR at its published size: 8,192 blocks of 512 tokens an update, two views and a masked copy
    # of each; BERT-base's 110 M parameters.
    "clear": dict(
        examples=8192,
        tokens=512,
        passes=3,
        views=2,
        compared=(2 * 8192) ** 2,
        width=1024,
        parameters=110e6,
        part=32,
        updates=500_000,
    ),
    # ConSERT's unsupervised recipe at a batch of 96 sentences of 16 tokens.
    "consert": dict(
        examples=96,
        tokens=16,
        passes=2,
        views=2,
        compared=(2 * 96) ** 2,
        width=768,
        parameters=110e6,
        part=96,
        updates=10_000,
    ),
    # In-batch negatives for retrieval: 16,384 pairs of 64 tokens, MiniLM's 22.7 M parameters.
    "mnrl": dict(
        examples=16384,
        tokens=64,
        passes=2,
        views=2,
        compared=16384**2,
        width=384,
        parameters=22.7e6,
        part=64,
        updates=1_000,
    ),
}


def ring(ready, step):
    """When each rank has finished a ring of len(step) transfers: a transfer needs this rank and the
    one before it. Exact for equal transfers: rank r has taken k of them once the latest of the k
    ranks before it, and itself, was ready."""
    world = len(ready)
    steps = len(step)
    total = sum(step)
    if steps >= world - 1:  # everybody has waited for everybody
        return [max(ready) + total] * world
    return [max(ready[(r - k) % world] for k in range(steps + 1)) + total for r in range(world)]


def simulate(run, world, speeds, network, flops, buckets_mb, updates, seed):
    """Seconds an update takes: the median over `updates`, and the parts of it on the slowest
    path."""
    latency, bandwidth = network
    draw = random.Random(seed)
    share = run["examples"] / world
    cached = share > run["part"]
    forward = run["tokens"] * run["passes"] * share  # tokens
    row_bytes = run["views"] * run["width"] * 4
    compare = 3 * 2 * run["compared"] * run["width"] / flops
    bucket = buckets_mb * 2**20
    gradient = run["parameters"] * 4
    buckets = max(1, round(gradient / bucket))
    times, parts = [], []
    for _ in range(updates):
        rates = [draw.choice(speeds) for _ in range(world)]
        # A measured rate is of forward and backward together, of which the forward pass is a third.
        whole = [forward / rate for rate in rates]
        encoded = [t / 3 for t in whole]
        gathered = (
            ring(encoded, [latency + share * row_bytes / bandwidth] * (world - 1))
            if world > 1
            else encoded
        )
        compared = [t + compare for t in gathered]
        finished = compared
        transfer = latency + gradient / buckets / world / bandwidth
        again = 1 / 3 if cached else 0.0  # the forward pass that keeps its graph
        for index in range(buckets):
            ready = [
                c + w * (again + 2 / 3 * (index + 1) / buckets) for c, w in zip(compared, whole)
            ]
            begin = [max(a, b) for a, b in zip(ready, finished)]
            finished = ring(begin, [transfer] * (world - 1)) if world > 1 else begin
        for _ in range(buckets if world > 1 else 0):
            finished = ring(finished, [transfer] * (world - 1))
        times.append(max(finished))
        mean = statistics.fmean(whole) * (4 / 3 if cached else 1)
        parts.append(
            (
                mean,
                max(gathered) - max(encoded),
                compare,
                max(finished) - mean - compare - (max(gathered) - max(encoded)),
            )
        )
    middle = sorted(range(updates), key=times.__getitem__)[updates // 2]
    return times[middle], parts[middle]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tokens-per-second", type=float, nargs="+", required=True)
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="so many times as fast as what was measured (default: 1)",
    )
    parser.add_argument(
        "--flops",
        type=float,
        default=100e9,
        help="of the comparison of vectors on one rank, a second (default: 1e11)",
    )
    parser.add_argument("--network", choices=NETWORKS, default="25GbE")
    parser.add_argument("--preset", choices=PRESETS, default="clear")
    parser.add_argument(
        "--bucket-mb",
        type=float,
        default=8,
        help="core/torch/dist/gradient_sum.h has it (default: 8)",
    )
    parser.add_argument(
        "--updates", type=int, default=9, help="simulated, of which the median counts (default: 9)"
    )
    parser.add_argument(
        "--ranks", type=int, nargs="+", default=[1, 8, 16, 32, 64, 128, 256, 512, 1024]
    )
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    run = PRESETS[chosen.preset]
    speeds = [s * chosen.speed for s in chosen.tokens_per_second]
    print(
        f"{chosen.preset}: {run['examples']:,} examples of {run['tokens']} tokens, "
        f"{run['parameters'] / 1e6:.0f} M parameters, {chosen.network}; "
        f"{statistics.fmean(speeds):,.0f} tokens/s a rank"
    )
    print(
        "| ranks | s an update | encoding | gather | compare | waiting | efficiency | MB a rank "
        "sends | days for all updates |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    alone = None
    for world in chosen.ranks:
        if world > run["examples"]:
            continue
        seconds, (encoding, gather, compare, waiting) = simulate(
            run,
            world,
            speeds,
            NETWORKS[chosen.network],
            chosen.flops * chosen.speed,
            chosen.bucket_mb,
            chosen.updates,
            chosen.seed,
        )
        # What one rank would need for the work of one share: the measure that does not count what
        # cached gradients cost on more ranks as loss.
        alone = alone or seconds * world
        sent = (
            (world - 1)
            / world
            * (run["examples"] * run["views"] * run["width"] * 4 + 2 * run["parameters"] * 4)
            / 2**20
        )
        print(
            f"| {world} | {seconds:.2f} | {encoding:.2f} | {gather:.2f} | {compare:.2f} | "
            f"{waiting:.2f} | {100 * alone / world / seconds:.0f} % | {sent:,.0f} | "
            f"{seconds * run['updates'] / 86400:,.0f} |"
        )


if __name__ == "__main__":
    main()
