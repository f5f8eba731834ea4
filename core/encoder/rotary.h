// Rotary positions (RoPE): the angle by which each pair of numbers of a query or key is rotated.
// Number j of a head's first half and number j of its second half are a pair. At position p, both
// implementations rotate (x, y) into (x cos - y sin, y cos + x sin) by the angle p f_j.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::encoder {

// The frequencies f_j for j = 0 .. head width / 2 - 1:
// without scaling: base^(-2j / width)
// "ntk" scaling, with rotary_factor f other than 1: (f base)^(-2j / width) / f^(2 / width)
// with rotary_mixed b: base^(-2j / width) / exp(ln f / (width / 2)^b * (j + 1)^b)
std::vector<float> rotary_frequencies(const Architecture& architecture, double base);

struct Rotation {
  std::vector<float> cosines, sines;  // [places][head width / 2]
};
// The rotations of positions 0 .. places - 1. Angles are float32 products, as in the published
// encoders.
Rotation rotation(const Architecture& architecture, double base, int64_t places);

}  // namespace contrastive::encoder
