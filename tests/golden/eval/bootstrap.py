#!/usr/bin/env python3
"""Writes tests/fixtures/bootstrap_golden.json for tests/core/eval/bootstrap_test.cpp: intervals of
the paired bootstrap, with numpy's means and quantiles. The resamples are those of core/base/rng.h,
whose Philox 4x32-10 and unbiased draws are implemented here again in Python. Run it once, manually,
where numpy is installed:

    python3 tests/golden/eval/bootstrap.py
"""

import json
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
M32, M64, BOOTSTRAP = (1 << 32) - 1, (1 << 64) - 1, 12


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def philox(key, example, position):
    c = [position & M32, position >> 32, example & M32, example >> 32]
    k0, k1 = key & M32, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & M32, (p0 >> 32) ^ c[3] ^ k1, p0 & M32]
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return c


def draws(seed, resample, n, count):
    key = mix(seed ^ (BOOTSTRAP << 32) ^ mix(0x9E3779B97F4A7C15))
    words = (word for position in range(1 << 30) for word in philox(key, resample, position))
    for _ in range(count):
        while True:
            product = ((next(words) << 32) | next(words)) * n
            if (product & M64) >= ((1 << 64) - n) % n:
                yield product >> 64
                break


def interval(values, resamples, confidence, seed):
    means = [
        np.mean(values[list(draws(seed, r, len(values), len(values)))]) for r in range(resamples)
    ]
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return {"mean": float(np.mean(values)), "low": float(low), "high": float(high)}


def main():
    rng = np.random.default_rng(20240607)
    cases = []
    for n, resamples, confidence, seed in (
        (1, 50, 0.95, 1),
        (2, 40, 0.9, 3),
        (25, 400, 0.95, 1),
        (60, 333, 0.8, 2**40 + 7),
    ):
        values = np.round(rng.normal(0.1, 0.4, n), 3)
        cases.append(
            {
                "differences": values.tolist(),
                "resamples": resamples,
                "confidence": confidence,
                "seed": seed,
                **interval(values, resamples, confidence, seed),
            }
        )
    path = ROOT / "tests/fixtures/bootstrap_golden.json"
    path.write_text(
        json.dumps({"made_with": {"numpy": np.__version__}, "cases": cases}, separators=(",", ":"))
        + "\n"
    )
    print(path)


if __name__ == "__main__":
    main()
