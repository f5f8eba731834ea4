#include "core/augment/tokens/spans.h"

#include <gtest/gtest.h>

#include "tests/core/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

SpanOptions options(int64_t count, double share = 0.05, SpanSampler sampler = SpanSampler::kFixed) {
  SpanOptions options;
  options.count = count;
  options.share = share;
  options.sampler = sampler;
  return options;
}

void expect_disjoint(const std::vector<Span>& spans, int64_t n) {
  int64_t at = 1;
  for (const Span& span : spans) {
    EXPECT_GE(span.begin, at);
    EXPECT_GE(span.length(), 0);
    at = span.end;
  }
  EXPECT_LE(at, n - 1);
}

TEST(Spans, FixedOnesHaveTheirLengthAndNumber) {
  for (const auto& [n, length] : std::vector<std::pair<int64_t, int64_t>>{{10, 1}, {30, 2}, {50, 2}, {64, 3}, {128, 6}, {512, 26}}) {
    Rng rng = rng_for(static_cast<uint64_t>(n));
    const auto spans = sample_spans(n, options(5), rng);
    ASSERT_EQ(spans.size(), 5u) << n;
    for (const Span& span : spans) EXPECT_EQ(span.length(), length) << n;
    expect_disjoint(spans, n);
  }
}

TEST(Spans, EveryPlacementIsAsLikely) {
  // Two spans of two tokens in five places: (0,2), (0,3), (1,3).
  std::vector<int64_t> counts(3);
  for (uint64_t example = 0; example < 3000; ++example) {
    Rng rng = rng_for(example);
    const auto spans = sample_spans(7, options(2, 0.3), rng);
    ASSERT_EQ(spans.size(), 2u);
    ASSERT_EQ(spans[0].length(), 2);
    const int64_t first = spans[0].begin - 1, second = spans[1].begin - 1;
    ++counts.at(static_cast<size_t>(first == 1 ? 2 : second - 2));
  }
  EXPECT_LT(unevenness(counts), 5);
}

TEST(Spans, WithoutRoomThereAreFewerAndShorterOnes) {
  for (const SpanSampler sampler : {SpanSampler::kFixed, SpanSampler::kGaussian}) {
    for (int64_t n = 0; n < 12; ++n) {
      for (uint64_t example = 0; example < 20; ++example) {
        Rng rng = rng_for(example);
        const auto spans = sample_spans(n, options(5, 0.9, sampler), rng);
        expect_disjoint(spans, std::max<int64_t>(n, 2));
        EXPECT_TRUE(n > 2 || spans.empty()) << n;
        EXPECT_TRUE(n <= 2 || sampler == SpanSampler::kGaussian || !spans.empty()) << n;
      }
    }
  }
}

TEST(Spans, GaussianOnesVaryAroundTheirLength) {
  double sum = 0, squares = 0;
  int64_t spans_seen = 0;
  for (uint64_t example = 0; example < 300; ++example) {
    Rng rng = rng_for(example);
    const auto spans = sample_spans(400, options(3, 0.05, SpanSampler::kGaussian), rng);
    expect_disjoint(spans, 400);
    for (const Span& span : spans) {
      const auto length = static_cast<double>(span.length());
      sum += length;
      squares += length * length;
      ++spans_seen;
    }
  }
  const double mean = sum / static_cast<double>(spans_seen);
  EXPECT_NEAR(mean, 20, 0.5);
  EXPECT_NEAR(squares / static_cast<double>(spans_seen) - mean * mean, 9, 2);
}

}  // namespace
}  // namespace contrastive::augment
