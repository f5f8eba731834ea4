#!/usr/bin/env python3
"""Compares exact top-k search with FAISS and PyTorch: one process for each measurement, alternating
rounds, and the ratios of the medians at the end.

  python3 tests/bench/bench_search.py [--program build/release/bench_search] [--threads 1 2]
      [--queries 1000 1] [--rows 100000] [--rounds 5]

Needs numpy, torch and faiss-cpu. Every measurement is one JSON line; `foreign` is the share of the
machine that other processes took meanwhile: rounds where it was large say little.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIMENSION, K = 384, 10


def make_data(folder, n_queries, n_rows):
    import numpy as np

    rng = np.random.default_rng(0)
    for name, n in (("corpus", n_rows), ("queries", n_queries)):
        rows = rng.standard_normal((n, DIMENSION), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        rows.tofile(folder / f"{name}.f32")


def measure_peer(peer, folder, threads, runs):
    """In a process of its own: seconds of each run, and the indices found."""
    import numpy as np

    queries, corpus = (
        np.fromfile(folder / f"{name}.f32", np.float32).reshape(-1, DIMENSION)
        for name in ("queries", "corpus")
    )
    if peer == "faiss":
        import faiss

        faiss.omp_set_num_threads(threads)
        index = faiss.IndexFlatIP(DIMENSION)
        index.add(corpus)
        search = lambda: index.search(queries, K)[1]
    else:
        import torch

        torch.set_num_threads(threads)
        a, b = torch.from_numpy(queries), torch.from_numpy(corpus)
        search = lambda: torch.topk(torch.mm(a, b.T), K, dim=1)[1].numpy()
    search()
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        found = search()
        seconds.append(time.perf_counter() - begin)
    found.astype(np.int64).tofile(folder / f"{peer}.i64")
    seconds.sort()
    return {
        "bench": "search",
        "peer": peer,
        "threads": threads,
        "q": len(queries),
        "n": len(corpus),
        "d": DIMENSION,
        "k": K,
        "runs": runs,
        "s_min": seconds[0],
        "s_median": seconds[len(seconds) // 2],
        "s_max": seconds[-1],
        "gflops_median": 2e-9 * len(queries) * len(corpus) * DIMENSION / seconds[len(seconds) // 2],
    }


def busy_seconds():
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def measure(peer, arguments, folder, threads, runs):
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        OPENBLAS_NUM_THREADS=str(threads),
    )
    if peer == "contrastive":
        command = [
            arguments.program,
            folder / "queries.f32",
            folder / "corpus.f32",
            DIMENSION,
            K,
            threads,
            runs + 1,
            folder / "contrastive.i64",
        ]
    else:
        command = [
            sys.executable,
            __file__,
            "--peer",
            peer,
            "--folder",
            folder,
            "--threads",
            threads,
            "--runs",
            runs,
        ]
    busy, own, begin = busy_seconds(), os.times(), time.time()
    result = json.loads(
        subprocess.run(
            [str(part) for part in command],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    spent = os.times()
    mine = sum(spent[:4]) - sum(own[:4])
    result["foreign"] = round(
        max(0.0, busy_seconds() - busy - mine) / ((time.time() - begin) * os.cpu_count()), 3
    )
    print(json.dumps(result), flush=True)
    return result["s_median"]


def agreement(folder):
    import numpy as np

    found = {
        peer: np.fromfile(folder / f"{peer}.i64", np.int64)
        for peer in ("contrastive", "faiss", "torch")
    }
    return {
        peer: float((found["contrastive"] == found[peer]).mean()) for peer in ("faiss", "torch")
    }


def compare(arguments):
    for n_queries in arguments.queries:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            make_data(folder, n_queries, arguments.rows)
            for threads in arguments.threads:
                runs = arguments.runs if n_queries > 10 else 30
                medians = {"contrastive": [], "faiss": [], "torch": []}
                for _ in range(arguments.rounds):
                    for peer in medians:
                        medians[peer].append(measure(peer, arguments, folder, threads, runs))
                ours = statistics.median(medians["contrastive"])
                ratios = {
                    peer: statistics.median(medians[peer]) / ours for peer in ("faiss", "torch")
                }
                print(
                    f"{n_queries} x {arguments.rows} x {DIMENSION}, top {K}, {threads} threads: "
                    f"contrastive "
                    f"{1e3 * ours:.1f} ms [{1e3 * min(medians['contrastive']):.1f}, "
                    f"{1e3 * max(medians['contrastive']):.1f}]; "
                    + "; ".join(
                        f"{peer} takes {ratio:.2f} times as long" for peer, ratio in ratios.items()
                    )
                    + f"; same indices {agreement(folder)}",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default=str(ROOT / "build/release/bench_search"))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--queries", type=int, nargs="+", default=[1000, 1])
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", choices=["faiss", "torch"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        print(
            json.dumps(
                measure_peer(arguments.peer, arguments.folder, arguments.threads[0], arguments.runs)
            )
        )
    else:
        compare(arguments)


if __name__ == "__main__":
    main()
