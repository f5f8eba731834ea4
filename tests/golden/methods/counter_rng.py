"""The library's counter-based randomness (core/base/rng.h) in plain Python: the layers a sampler
picks, the first weights of a head and the masks of dropout are handed to the PyTorch programs of
this folder from here."""

import math

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
INITIALISE, LAYER_SAMPLER, DROPOUT = 2, 6, 7


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


class Rng:
    def __init__(self, seed, purpose, epoch=0, example=0):
        self.key = mix(seed ^ (purpose << 32) ^ mix((epoch + 0x9E3779B97F4A7C15) & MASK64))
        self.example, self.position, self.block = example, 0, []

    def philox(self, position):
        c = [position & MASK32, position >> 32, self.example & MASK32, self.example >> 32]
        k0, k1 = self.key & MASK32, self.key >> 32
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(p1 >> 32) ^ c[1] ^ k0, p1 & MASK32, (p0 >> 32) ^ c[3] ^ k1, p0 & MASK32]
            k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
        return c

    def next32(self):
        if not self.block:
            self.block = self.philox(self.position)
            self.position += 1
        return self.block.pop(0)

    def uniform(self):
        high = self.next32()
        return ((high << 32 | self.next32()) >> 11) * 2.0**-53

    def normal(self):
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return radius * math.cos(6.283185307179586 * self.uniform())


def normal_matrix(out, width, deviation, seed, number):
    rng = Rng(seed, INITIALISE, 0, number)
    return [[deviation * rng.normal() for _ in range(width)] for _ in range(out)]


def sampled_layer(layers, seed, update, row):
    """Uniform over 0 ... layers - 1, as LayerSampler draws for a batch that the caller brought."""
    u = Rng(seed, LAYER_SAMPLER, update, row).uniform()
    return next(k for k in range(layers) if u < (k + 1) / layers or k == layers - 1)


def kept(probability, seed, update, stream, site, position, count):
    """What dropout keeps, 1.0 or 0.0 each: of the `count` numbers that the token at `position` of a
    text has at a place of the network."""
    rng = Rng(seed, DROPOUT, update << 32 | site << 20 | position, stream)
    threshold = int(probability * 2**32)
    return [float(rng.next32() >= threshold) for _ in range(count)]


def stream_of_view(row, view):
    """The stream of a text of a batch that the caller brought: example `row`, in the view numbered
    `view`."""
    return (row * 64 + view) * 64
