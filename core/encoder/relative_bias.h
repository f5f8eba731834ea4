// What attention adds to its logits for the distance between two tokens (RelativeBias): the buckets
// of T5 and MPNet, the slopes of ALiBi.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::encoder {

// The bucket of distance r = key's place - query's, of `buckets` in all: the lower half for r <= 0,
// the upper one for r > 0; in each the first half holds one distance each, and the others ever
// more, the last one everything from `furthest` on.
int64_t distance_bucket(int64_t distance, int64_t buckets, int64_t furthest);

// [heads] of ALiBi: powers of 2^(-8 / heads), and for a number of heads that is no power of two
// those of the power below, filled up from the one above.
std::vector<float> alibi_slopes(int64_t heads);

}  // namespace contrastive::encoder
