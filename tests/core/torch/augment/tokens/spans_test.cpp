#include "core/torch/augment/tokens/spans.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

SpanOptions options(int64_t count, double share = 0.05, SpanSampler sampler = SpanSampler::kFixed) {
  SpanOptions options;
  options.count = count;
  options.share = share;
  options.sampler = sampler;
  return options;
}

void expect_disjoint(const std::vector<TokenSpan>& spans, int64_t n) {
  int64_t at = 1;
  for (const TokenSpan& span : spans) {
    EXPECT_GE(span.begin, at);
    EXPECT_GE(span.length(), 0);
    at = span.end;
  }
  EXPECT_LE(at, n - 1);
}

TEST(Spans, FixedOnesHaveTheirLengthAndNumber) {
  for (const auto& [n, length] : std::vector<std::pair<int64_t, int64_t>>{
           {10, 1}, {30, 2}, {50, 2}, {64, 3}, {128, 6}, {512, 26}}) {
    Rng rng = rng_for(static_cast<uint64_t>(n));
    const auto spans = sample_spans(n, options(5), rng);
    ASSERT_EQ(spans.size(), 5u) << n;
    for (const TokenSpan& span : spans) EXPECT_EQ(span.length(), length) << n;
    expect_disjoint(spans, n);
  }
}

TEST(Spans, EveryPlacementIsAsLikely) {
  struct Case {
    int64_t n, count, length;
    double share;
    size_t placements;  // the number of placements of `count` spans: choices of that many points
                        // after each span is shrunk to a point
  };
  for (const Case& test :
       {Case{7, 2, 2, 0.3, 3}, Case{11, 2, 3, 0.27, 10}, Case{12, 3, 2, 0.17, 35}}) {
    std::map<Ids, int64_t> seen;
    for (uint64_t example = 0; example < 20000; ++example) {
      Rng rng = rng_for(example);
      Ids begins;
      for (const TokenSpan& span : sample_spans(test.n, options(test.count, test.share), rng)) {
        ASSERT_EQ(span.length(), test.length);
        begins.push_back(static_cast<int32_t>(span.begin));
      }
      ++seen[begins];
    }
    EXPECT_TRUE(is_uniform(seen, test.placements)) << test.n;
  }
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
    EXPECT_EQ(spans.size(), 3u);
    expect_disjoint(spans, 400);
    for (const TokenSpan& span : spans) {
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

using Place = std::pair<int64_t, int64_t>;  // begin and end of a span

// The probability that a normal variable is below x.
double chance_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// The distribution of the Gaussian sampler's first span: each begin that leaves room for the mean
// length is equally likely; a rounded length is drawn until it fits.
std::map<Place, double> chances_of_a_span(int64_t n, int64_t mean, double deviation) {
  std::map<Place, double> chances;
  for (int64_t begin = 1; begin + mean <= n - 1; ++begin) {
    const int64_t most = n - 1 - begin;
    const auto up_to = [&](int64_t length) {
      return chance_below((static_cast<double>(length - mean) + 0.5) / deviation);
    };
    for (int64_t length = 0; length <= most; ++length) {
      chances[{begin, begin + length}] = (up_to(length) - up_to(length - 1)) /
                                         (up_to(most) - up_to(-1)) /
                                         static_cast<double>(n - 1 - mean);
    }
  }
  return chances;
}

std::map<std::vector<Place>, int64_t> gaussian_spans_of(int64_t n, const SpanOptions& gaussian,
                                                        uint64_t draws) {
  std::map<std::vector<Place>, int64_t> seen;
  for (uint64_t example = 0; example < draws; ++example) {
    Rng rng = rng_for(example);
    std::vector<Place> places;
    for (const TokenSpan& span : sample_spans(n, gaussian, rng))
      places.emplace_back(span.begin, span.end);
    ++seen[places];
  }
  return seen;
}

// Detects a last begin that never occurs, one that is too late, another rounding or deviation, and
// another treatment of negative lengths or lengths beyond the text.
TEST(Spans, GaussianOnesLieAndMeasureAsDescribed) {
  std::map<std::vector<Place>, double> chances;
  for (const auto& [place, chance] : chances_of_a_span(20, 4, 3)) chances[{place}] = chance;
  EXPECT_TRUE(
      has_shares(gaussian_spans_of(20, options(1, 0.2, SpanSampler::kGaussian), 20000), chances));
}

// The second of two spans is drawn until it does not overlap the first, at most a hundred times,
// which is often not enough in the shorter text.
TEST(Spans, GaussianOnesThatMeetAnEarlierOneAreDrawnAgain) {
  struct Case {
    int64_t n, mean;
    double share, deviation;
  };
  for (const Case& test : {Case{8, 2, 0.25, 1}, Case{6, 3, 0.5, 0.7}}) {
    const auto single = chances_of_a_span(test.n, test.mean, test.deviation);
    const auto meet = [](const Place& a, const Place& b) {
      return a.first < b.second && b.first < a.second;
    };
    std::map<std::vector<Place>, double> chances;
    for (const auto& [first, chance] : single) {
      double free = 0;
      for (const auto& [second, of_second] : single) free += meet(first, second) ? 0 : of_second;
      const double given_up = std::pow(1 - free, 100);
      chances[{first}] += chance * given_up;
      for (const auto& [second, of_second] : single) {
        if (!meet(first, second))
          chances[{std::min(first, second), std::max(first, second)}] +=
              chance * (1 - given_up) * of_second / free;
      }
    }
    SpanOptions two = options(2, test.share, SpanSampler::kGaussian);
    two.deviation = test.deviation;
    EXPECT_TRUE(has_shares(gaussian_spans_of(test.n, two, 10000), chances)) << test.n;
  }
}

}  // namespace
}  // namespace contrastive::augment
