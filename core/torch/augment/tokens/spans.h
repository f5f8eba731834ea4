// Draws disjoint spans at random places of a text, for del-span and reorder.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::augment {

struct TokenSpan {
  int64_t begin = 0, end = 0;  // [begin, end)
  int64_t length() const { return end - begin; }
};

// kFixed: every span has the same length, and every placement is equally likely. kGaussian, as in
// the authors' code: spans are drawn one after the other. A length is drawn from a normal
// distribution until it fits, and a span that overlaps an earlier one is drawn again.
enum class SpanSampler { kFixed, kGaussian };

struct SpanOptions {
  int64_t count = 5;
  double share = 0.05;  // share of the text in one span: max(1, round(share * n)) tokens
  SpanSampler sampler = SpanSampler::kFixed;
  double deviation = 3;  // for kGaussian: standard deviation of the length, in tokens
};

// In ascending order, within [1, n - 1): the first and the last id of a text are never included. If
// there is no room, lengths are cut to the text and spans left out. The Gaussian sampler gives up
// on a span after 100 attempts.
std::vector<TokenSpan> sample_spans(int64_t n, const SpanOptions& options, Rng& rng);

}  // namespace contrastive::augment
