// The relative position bias of attention (RelativeBias): the buckets of T5 and MPNet, and the
// slopes of ALiBi.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::encoder {

// The bucket of distance r = key's position - query's position, out of `buckets`: the lower half
// for r <= 0, the upper half for r > 0. In each half, the first half of the buckets holds one
// distance each, and the others hold increasingly many. The last one holds everything from
// `furthest` on.
int64_t distance_bucket(int64_t distance, int64_t buckets, int64_t furthest);

// [heads] the slopes of ALiBi: powers of 2^(-8 / heads). If the number of heads is not a power of
// two, the slopes for the power of two below it, followed by some of those for the power above.
std::vector<float> alibi_slopes(int64_t heads);

}  // namespace contrastive::encoder
