// Disjoint spans at random places of a text: what del-span deletes and reorder swaps.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::augment {

struct TokenSpan {
  int64_t begin = 0, end = 0;  // [begin, end)
  int64_t length() const { return end - begin; }
};

// kFixed: every span has the same length, and every placement is as likely as any other. kGaussian,
// the authors' code: a length is drawn from a normal distribution until it fits behind its begin,
// spans one after the other, and one that meets an earlier one is drawn again.
enum class SpanSampler { kFixed, kGaussian };

struct SpanOptions {
  int64_t count = 5;
  double share = 0.05;  // of the text that one span takes: max(1, round(share * n)) tokens
  SpanSampler sampler = SpanSampler::kFixed;
  double deviation = 3;  // kGaussian: of the length, in tokens
};

// In rising order, within [1, n - 1): the first and the last id of a text are never touched. Where
// there is no room, lengths are cut to the text and spans left out; the Gaussian sampler gives a
// span up after 100 attempts.
std::vector<TokenSpan> sample_spans(int64_t n, const SpanOptions& options, Rng& rng);

}  // namespace contrastive::augment
