#!/usr/bin/env python3
"""Compares t-SNE of real embeddings with scikit-learn's, exact and Barnes-Hut: the time of the
computation alone, and the quality of the pictures.

    bench_tsne.py --model DIR --texts FILE [--points 1000 5000] [--threads 1] [--iterations 1000]
        [--exact-most 1000] [--rounds 1] [--program build/release/contrastive]
        [--bench build/release/bench_tsne]

--texts has a sentence a line; the first different ones are encoded by `contrastive encode`.
Perplexity 30, start from principal components, learning rate and exaggeration alike on all sides.
scikit-learn's exact method is left out above --exact-most points, where it takes tens of minutes.
Quality is measured in the same way for all: the Kullback-Leibler divergence over all pairs
(affinities by scikit-learn; less is better), and trustworthiness among 12 neighbours. Needs numpy,
scipy and scikit-learn. A process a measurement, one after the other; see `foreign` in
one_process.py.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

import one_process

PERPLEXITY = 30
OURS, EXACT, BARNES_HUT = "contrastive", "scikit-learn exact", "scikit-learn barnes_hut"


def rows_of(folder, dimension):
    import numpy as np

    return np.fromfile(folder / "rows.f32", np.float32).reshape(-1, dimension)


def peer(arguments):
    """In a process of its own."""
    import numpy as np
    from sklearn.manifold import TSNE

    rows = rows_of(arguments.folder, arguments.dimension)
    tsne = TSNE(
        2,
        perplexity=PERPLEXITY,
        init="pca",
        learning_rate="auto",
        max_iter=arguments.iterations,
        random_state=1,
        n_jobs=arguments.threads[0],
        method=arguments.peer.split()[1],
    )
    begin = time.perf_counter()
    places = tsne.fit_transform(rows)
    seconds = time.perf_counter() - begin
    np.concatenate([places[:, 0], places[:, 1]]).astype(np.float64).tofile(
        arguments.folder / f"{arguments.peer}.f64"
    )
    print(
        json.dumps(
            {
                "bench": "tsne",
                "peer": arguments.peer,
                "threads": arguments.threads[0],
                "points": len(rows),
                "iterations": tsne.n_iter_ + 1,
                "seconds": round(seconds, 3),
            }
        )
    )


def quality(folder, dimension, who):
    """{peer: (divergence, trustworthiness)}"""
    import numpy as np
    from scipy.spatial.distance import pdist, squareform
    from sklearn.manifold import trustworthiness
    from sklearn.manifold._t_sne import _joint_probabilities

    rows = rows_of(folder, dimension)
    p = _joint_probabilities(
        squareform(pdist(rows.astype(np.float64), "sqeuclidean")).astype(np.float32), PERPLEXITY, 0
    )
    found = {}
    for name in who:
        places = np.fromfile(folder / f"{name}.f64").reshape(2, -1).T
        q = 1 / (1 + pdist(places, "sqeuclidean"))
        q /= 2 * q.sum()
        found[name] = (
            2 * float((p * np.log(p / q)).sum()),
            float(trustworthiness(rows, places, n_neighbors=12)),
        )
    return found


def command_of(who, arguments, folder, dimension, threads):
    if who == OURS:
        return [
            arguments.bench,
            folder / "rows.f32",
            dimension,
            threads,
            arguments.iterations,
            folder / f"{OURS}.f64",
        ]
    return [
        sys.executable,
        __file__,
        "--peer",
        who,
        "--folder",
        folder,
        "--dimension",
        dimension,
        "--threads",
        threads,
        "--iterations",
        arguments.iterations,
    ]


def compare(arguments):
    for points in arguments.points:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            dimension, _ = one_process.encode(
                arguments.program,
                arguments.model,
                one_process.distinct_lines(arguments.texts, points),
                folder,
                1,
            )
            who = [OURS, BARNES_HUT] + ([EXACT] if points <= arguments.exact_most else [])
            for threads in arguments.threads:
                seconds = {peer: [] for peer in who}
                for _ in range(arguments.rounds):
                    for peer in who:
                        seconds[peer].append(
                            one_process.measure(
                                command_of(peer, arguments, folder, dimension, threads), threads
                            )["seconds"]
                        )
                median = {peer: statistics.median(of_peer) for peer, of_peer in seconds.items()}
                for peer, (divergence, trust) in quality(folder, dimension, who).items():
                    print(
                        f"{points} points, {dimension} dimensions, {threads} threads, "
                        f"{arguments.iterations} iterations: {peer} {median[peer]:.2f} s "
                        f"({median[peer] / median[OURS]:.2f} times ours), divergence "
                        f"{divergence:.4f}, trustworthiness {trust:.4f}",
                        flush=True,
                    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--texts", type=pathlib.Path)
    parser.add_argument("--points", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--exact-most", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--program", default=str(one_process.ROOT / "build/release/contrastive"))
    parser.add_argument("--bench", default=str(one_process.ROOT / "build/release/bench_tsne"))
    parser.add_argument("--peer", choices=[EXACT, BARNES_HUT], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--dimension", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments)
    elif arguments.model and arguments.texts:
        compare(arguments)
    else:
        parser.error("--model and --texts are needed")


if __name__ == "__main__":
    main()
