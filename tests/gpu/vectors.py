"""When two programs' vectors of the same texts count as the same. Both of them give unit vectors as
float32, but compute them in `precision`."""

import array
import math

# The largest difference of a number, and the largest 1 - cosine of a text.
TOLERANCES = {"float32": (1e-4, 1e-6), "bfloat16": (0.05, 1e-3)}


def read(path, rows):
    numbers = array.array("f")
    numbers.frombytes(open(path, "rb").read())
    width = len(numbers) // rows
    return [numbers[row * width : (row + 1) * width] for row in range(rows)]


def cosine(a, b):
    dot, aa, bb = sum(map(float.__mul__, a, b)), sum(x * x for x in a), sum(x * x for x in b)
    return dot / math.sqrt(aa * bb) if aa > 0 and bb > 0 else 0.0  # a vector of zeros is like none


def compare(ours, theirs, precision):
    """What results.jsonl says of them; `same` is the judgement. `apart` is the mean 1 - cosine of
    neighbouring texts: that of a mix-up."""
    if len(ours) != len(theirs) or len(ours[0]) != len(theirs[0]):
        return {
            "same": False,
            "reason": f"{len(ours)} x {len(ours[0])} numbers beside {len(theirs)} x "
            f"{len(theirs[0])}",
        }
    most_difference, most_angle = TOLERANCES[precision]
    difference = max(abs(x - y) for a, b in zip(ours, theirs) for x, y in zip(a, b))
    angles = [1 - cosine(a, b) for a, b in zip(ours, theirs)]
    numbers = all(math.isfinite(x) for row in (*ours, *theirs) for x in row)
    apart = [1 - cosine(a, b) for a, b in zip(ours, ours[1:])]
    return {
        "same": numbers and difference <= most_difference and max(angles) <= most_angle,
        "largest_difference": difference,
        "largest_angle": max(angles),
        "tolerance": [most_difference, most_angle],
        "apart": sum(apart) / len(apart),
    }
