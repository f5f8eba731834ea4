#!/usr/bin/env python3
"""Compares paraphrase mining among real sentences with sentence-transformers: the mining alone, on
the same embeddings, and the way from texts to pairs.

    bench_mining.py --model DIR --texts FILE [--sentences 20000] [--threads 1] [--rounds 1]
        [--program build/release/contrastive] [--bench build/release/bench_mining]

--texts has a sentence a line; the first different ones are taken. Mining: the program bench_mining
and util.paraphrase_mining_embeddings, top 100 of each sentence, at most 500,000 pairs. From texts:
`contrastive encode` as a whole process with that mining behind it, and util.paraphrase_mining
without the time that imports and the loading of the model take. Needs numpy, torch,
sentence-transformers. A process a measurement, one after the other; see `foreign` in
one_process.py. The pairs are compared as well.
"""

import argparse
import json
import pathlib
import resource
import statistics
import sys
import tempfile
import time

import one_process

TOP_K, MAX_PAIRS = 100, 500000
OURS, MINING, WHOLE = "contrastive", "mining", "from texts"


def peer(arguments):
    """In a process of its own."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer, util

    torch.set_num_threads(arguments.threads[0])
    if arguments.peer == MINING:
        rows = torch.from_numpy(
            np.fromfile(arguments.folder / "rows.f32", np.float32).reshape(-1, arguments.dimension)
        )
        work = lambda: util.paraphrase_mining_embeddings(rows, top_k=TOP_K, max_pairs=MAX_PAIRS)
    else:
        texts = (arguments.folder / "texts.txt").read_text(encoding="utf-8").split("\n")[:-1]
        model = SentenceTransformer(arguments.model, device="cpu")
        work = lambda: util.paraphrase_mining(model, texts, top_k=TOP_K, max_pairs=MAX_PAIRS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    pairs = work()
    seconds = time.perf_counter() - begin
    np.array(pairs).tofile(arguments.folder / f"{arguments.peer}.f64")
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        json.dumps(
            {
                "bench": arguments.peer,
                "peer": "sentence-transformers",
                "threads": arguments.threads[0],
                "pairs": len(pairs),
                "seconds": round(seconds, 3),
                "extra_mb": round(extra, 1),
            }
        )
    )


def agreement(folder, name):
    """The share of our pairs that the peer has too, and the largest difference between their
    scores."""
    import numpy as np

    found = []
    for who in (OURS, name):
        rows = np.fromfile(folder / f"{who}.f64").reshape(-1, 3)
        found.append({(int(a), int(b)): score for score, a, b in rows})
    both = found[0].keys() & found[1].keys()
    return len(both) / len(found[0]), max(abs(found[0][pair] - found[1][pair]) for pair in both)


def compare(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder, texts = (
            pathlib.Path(name),
            one_process.distinct_lines(arguments.texts, arguments.sentences),
        )
        for threads in arguments.threads:
            seconds = {(who, what): [] for who in (OURS, "peer") for what in (MINING, WHOLE)}
            for _ in range(arguments.rounds):
                dimension, encoding = one_process.encode(
                    arguments.program, arguments.model, texts, folder, threads
                )
                found = one_process.measure(
                    [
                        arguments.bench,
                        folder / "rows.f32",
                        dimension,
                        TOP_K,
                        MAX_PAIRS,
                        threads,
                        1,
                        folder / f"{OURS}.f64",
                    ],
                    threads,
                )
                seconds[OURS, MINING].append(found["seconds"])
                seconds[OURS, WHOLE].append(encoding + found["seconds"])
                for what in (MINING, WHOLE):
                    command = [
                        sys.executable,
                        __file__,
                        "--peer",
                        what,
                        "--folder",
                        folder,
                        "--dimension",
                        dimension,
                        "--threads",
                        threads,
                        "--model",
                        arguments.model,
                    ]
                    seconds["peer", what].append(one_process.measure(command, threads)["seconds"])
            for what in (MINING, WHOLE):
                ours, theirs = (statistics.median(seconds[who, what]) for who in (OURS, "peer"))
                share, difference = agreement(folder, what)
                print(
                    f"{len(texts)} sentences, {threads} threads, {what}: contrastive {ours:.2f} "
                    f"s, sentence-transformers {theirs:.2f} s "
                    f"({theirs / ours:.2f} times ours); {100 * share:.3f} % of the pairs are the "
                    f"same, scores differ by {difference:.1e}",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", type=pathlib.Path)
    parser.add_argument("--sentences", type=int, default=20000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--program", default=str(one_process.ROOT / "build/release/contrastive"))
    parser.add_argument("--bench", default=str(one_process.ROOT / "build/release/bench_mining"))
    parser.add_argument("--peer", choices=[MINING, WHOLE], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--dimension", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments)
    elif arguments.texts:
        compare(arguments)
    else:
        parser.error("--texts is needed")


if __name__ == "__main__":
    main()
