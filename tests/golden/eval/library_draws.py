"""What the library draws from a seed while it trains classifiers (core/base/rng.h,
core/eval/transfer, core/data/batcher.h), in NumPy: folds, hold-outs, orders of the passes and first
weights, so that another implementation of a protocol can be run on the very same draws."""

import functools
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "methods"))
from counter_rng import Rng  # noqa: E402

SHUFFLE, INITIALISE, SUBSET = 1, 2, 8


def words(rng, count):
    """The first `count` values of Rng::next32(), all at once."""
    positions = np.arange((count + 3) // 4, dtype=np.uint64)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c = [
        positions & low,
        positions >> half,
        np.full_like(positions, rng.example & 0xFFFFFFFF),
        np.full_like(positions, rng.example >> 32),
    ]
    k0, k1 = rng.key & 0xFFFFFFFF, rng.key >> 32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [
            (p1 >> half) ^ c[1] ^ np.uint64(k0),
            p1 & low,
            (p0 >> half) ^ c[3] ^ np.uint64(k1),
            p0 & low,
        ]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(c, 1).reshape(-1)[:count]


def uniform(rng, count):
    pairs = words(rng, 2 * count)
    return ((pairs[0::2] << np.uint64(32) | pairs[1::2]) >> np.uint64(11)).astype(
        np.float64
    ) * 2.0**-53


class Shuffler:
    """Rng::shuffle for lists of together at most `most` items, one after the other from one
    stream."""

    def __init__(self, rng, most):
        self.drawn, self.used = words(rng, 2 * most).tolist(), 0

    def below(self, n):
        product = (self.drawn[self.used] << 32 | self.drawn[self.used + 1]) * n
        self.used += 2
        assert product & (2**64 - 1) >= n, (
            "a draw that Lemire's method may throw away: one in 10^15"
        )
        return product >> 64

    def shuffle(self, items):
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]
        return items


def permutation(rng, count):
    return np.array(Shuffler(rng, count).shuffle(list(range(count))))


@functools.lru_cache(maxsize=4096)
def order(seed, count, epoch):
    """The order of `count` examples in pass `epoch`: of a classifier's fit, and of the batches of a
    training."""
    return permutation(Rng(seed, SHUFFLE, epoch), count)


class LibraryDraws:
    """Those of the task "transfer" under one seed."""

    def __init__(self, seed):
        self.seed = seed

    def folds(self, labels, k, outer=None):
        """The fold of each example; `outer` is the test fold within whose rest these are the inner
        ones."""
        shuffler = Shuffler(
            Rng(self.seed, SUBSET, 0) if outer is None else Rng(self.seed, SUBSET, 1, outer),
            len(labels),
        )
        members = {}
        for i, label in enumerate(labels):
            members.setdefault(int(label), []).append(i)
        result, dealt = np.zeros(len(labels), int), 0
        for of_class in members.values():
            result[of_class] = shuffler.shuffle([(dealt + i) % k for i in range(len(of_class))])
            dealt += len(of_class)
        return result

    def hold_out(self, count, share, test_fold):
        drawn = permutation(Rng(self.seed, SUBSET, 2, test_fold), count)
        cut = max(1, int(share * count))
        return np.sort(drawn[cut:]), np.sort(drawn[:cut])

    def order(self, count, number):
        return order(self.seed, count, number)

    def weights(self, shapes):
        """Layers [(in, out)]: each one's weight [out, in] and bias."""
        drawn = uniform(Rng(self.seed, INITIALISE), sum(i * o + o for i, o in shapes))
        layers, at = [], 0
        for inputs, outputs in shapes:
            values = (drawn[at : at + inputs * outputs + outputs] * 2 - 1) / np.sqrt(inputs)
            at += len(values)
            layers.append(
                (
                    values[: inputs * outputs].reshape(outputs, inputs).astype(np.float32),
                    values[inputs * outputs :].astype(np.float32),
                )
            )
        return layers
