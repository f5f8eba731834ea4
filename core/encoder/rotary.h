// Rotary positions (RoPE): the angle by which each pair of numbers of a query or key is turned.
// Number j of a head's first half makes a pair with number j of its second half; at place p both
// walkers turn (x, y) into (x cos - y sin, y cos + x sin) with the angle p f_j.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::encoder {

// f_j = base^(-2j / head width), j = 0 .. head width / 2 - 1. With rotary_factor f other than 1,
// "ntk" scaling: (f base)^(-2j / width) / f^(2 / width), or with rotary_mixed b: base^(-2j / width)
// / exp(ln f / (width / 2)^b * (j + 1)^b).
std::vector<float> rotary_frequencies(const Architecture& architecture, double base);

struct Rotation {
  std::vector<float> cosines, sines;  // [places][head width / 2]
};
// Of the places 0 .. places - 1. Angles are float32 products, as in the published encoders.
Rotation rotation(const Architecture& architecture, double base, int64_t places);

}  // namespace contrastive::encoder
