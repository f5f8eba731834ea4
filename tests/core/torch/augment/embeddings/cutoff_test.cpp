// Over many draws of a fixed seed, counts are exact, positions uniform, and views independent.
#include "core/torch/augment/embeddings/cutoff.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "core/base/json.h"
#include "tests/core/torch/augment/statistics.h"
#include "tests/fixtures_folder.h"

namespace contrastive::augment {
namespace {

constexpr Cutoff kKinds[] = {Cutoff::kTokens, Cutoff::kFeatures, Cutoff::kSpan, Cutoff::kElements};

class Cut {
 public:
  Cut(Cutoff kind, double rate, int64_t length, int64_t width, Rng rng)
      : length_(length), width_(width), cut_(new bool[static_cast<size_t>(length * width)]()) {
    draw_cutoff(kind, rate, length, width, rng, cut_.get());
  }
  Cut(Cutoff kind, double rate, int64_t length, int64_t width, uint64_t example)
      : Cut(kind, rate, length, width, Rng(1, Purpose::kViewOne, 0, example)) {}
  bool at(int64_t token, int64_t feature) const {
    return cut_[static_cast<size_t>(token * width_ + feature)];
  }
  int64_t count() const {
    int64_t n = 0;
    for (int64_t i = 0; i < length_ * width_; ++i) n += cut_[static_cast<size_t>(i)] ? 1 : 0;
    return n;
  }
  uint64_t places() const {  // one bit each
    uint64_t bits = 0;
    for (int64_t i = 0; i < length_ * width_; ++i)
      bits |= uint64_t{cut_[static_cast<size_t>(i)]} << i;
    return bits;
  }

 private:
  int64_t length_, width_;
  std::unique_ptr<bool[]> cut_;
};

// A matrix so small that every possible cutoff can be counted: sets of two rows, columns, or
// elements.
struct SmallCut {
  Cutoff kind;
  int64_t length, width;
  size_t sets;

  uint64_t draw(const Rng& rng) const { return Cut(kind, 0.34, length, width, rng).places(); }
};
constexpr SmallCut kSmallCuts[] = {{Cutoff::kTokens, 6, 2, 15},
                                   {Cutoff::kFeatures, 2, 6, 15},
                                   {Cutoff::kSpan, 6, 2, 5},
                                   {Cutoff::kElements, 2, 3, 15}};

TEST(Cutoff, CountsAreThoseOfTheSpecification) {
  const Json vectors = read_json_file(fixtures() + "/consert_vectors.json");
  ASSERT_GE(vectors["cutoff_counts"]["cases"].size(), 10u);
  for (const Json& row : vectors["cutoff_counts"]["cases"])
    EXPECT_EQ(cutoff_count(row["n"], row["rate"]), row["count"].get<int64_t>()) << row;
}

TEST(Cutoff, EveryDrawHasExactlyItsCount) {
  for (uint64_t example = 0; example < 200; ++example) {
    for (int64_t length : {2, 3, 7, 20}) {
      for (double rate : {0.1, 0.15, 0.2, 0.5, 0.99}) {
        const int64_t width = 12, rows = cutoff_count(length, rate),
                      columns = cutoff_count(width, rate);
        EXPECT_EQ(Cut(Cutoff::kTokens, rate, length, width, example).count(), rows * width);
        EXPECT_EQ(Cut(Cutoff::kSpan, rate, length, width, example).count(), rows * width);
        EXPECT_EQ(Cut(Cutoff::kFeatures, rate, length, width, example).count(), columns * length);
        EXPECT_EQ(Cut(Cutoff::kElements, rate, length, width, example).count(),
                  cutoff_count(length * width, rate));
      }
    }
  }
}

TEST(Cutoff, WholeRowsColumnsAndSpans) {
  const int64_t length = 10, width = 15;
  for (uint64_t example = 0; example < 50; ++example) {
    const Cut tokens(Cutoff::kTokens, 0.3, length, width, example),
        features(Cutoff::kFeatures, 0.2, length, width, example);
    const Cut span(Cutoff::kSpan, 0.3, length, width, example);
    int64_t first = length, last = -1;
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t f = 0; f < width; ++f) {
        EXPECT_EQ(tokens.at(t, f), tokens.at(t, 0));
        EXPECT_EQ(features.at(t, f), features.at(0, f));
        EXPECT_EQ(span.at(t, f), span.at(t, 0));
      }
      if (!span.at(t, 0)) continue;
      first = std::min(first, t);
      last = t;
    }
    EXPECT_EQ(last - first + 1, 3) << "the span has a gap";
  }
}

TEST(Cutoff, AShortTextKeepsEverything) {
  for (const Cutoff kind : {Cutoff::kTokens, Cutoff::kSpan})
    EXPECT_EQ(Cut(kind, 0.15, 6, 8, 1).count(), 0);
  EXPECT_EQ(Cut(Cutoff::kFeatures, 0.1, 6, 8, 1).count(), 0);
  EXPECT_EQ(Cut(Cutoff::kElements, 0.1, 1, 9, 1).count(), 0);
}

TEST(Cutoff, EveryPlaceIsAsLikelyAsAnyOther) {
  constexpr int64_t kDraws = 20000, kLength = 20, kWidth = 10;
  std::vector<int64_t> tokens(kLength), features(kWidth), elements(kLength * kWidth);
  std::map<int64_t, int64_t> spans;
  for (int64_t i = 0; i < kDraws; ++i) {
    const auto example = static_cast<uint64_t>(i);
    const Cut rows(Cutoff::kTokens, 0.15, kLength, kWidth, example),
        columns(Cutoff::kFeatures, 0.2, kLength, kWidth, example);
    const Cut span(Cutoff::kSpan, 0.15, kLength, kWidth, example),
        single(Cutoff::kElements, 0.2, kLength, kWidth, example);
    for (int64_t t = 0; t < kLength; ++t) tokens[static_cast<size_t>(t)] += rows.at(t, 0) ? 1 : 0;
    for (int64_t f = 0; f < kWidth; ++f)
      features[static_cast<size_t>(f)] += columns.at(0, f) ? 1 : 0;
    for (int64_t e = 0; e < kLength * kWidth; ++e)
      elements[static_cast<size_t>(e)] += single.at(e / kWidth, e % kWidth) ? 1 : 0;
    int64_t first = 0;
    while (!span.at(first, 0)) ++first;
    ++spans[first];
  }
  EXPECT_TRUE(hits_evenly(tokens, kDraws));
  EXPECT_TRUE(hits_evenly(features, kDraws));
  EXPECT_TRUE(hits_evenly(elements, kDraws));
  EXPECT_TRUE(is_uniform(spans, kLength - 3 + 1));
}

// Positions may be hit uniformly and still not independently, as with blocks that wrap around the
// end, so every set is counted separately.
TEST(Cutoff, EverySetOfPlacesIsAsLikelyAsAnyOther) {
  for (const SmallCut& small : kSmallCuts) {
    std::map<uint64_t, int64_t> seen;
    for (uint64_t example = 0; example < 20000; ++example)
      ++seen[small.draw(Rng(1, Purpose::kViewOne, 0, example))];
    EXPECT_TRUE(is_uniform(seen, small.sets)) << static_cast<int>(small.kind);
  }
}

// This fails if two views, texts or epochs share a stream, or if a draw is kept from one call to
// the next.
TEST(Cutoff, TheTwoViewsDrawIndependently) {
  for (const SmallCut& small : kSmallCuts) {
    EXPECT_TRUE(views_are_independent([&](const Rng& rng) { return small.draw(rng); }))
        << static_cast<int>(small.kind);
  }
}

TEST(Cutoff, CutsOfOneViewAddUp) {
  Rng rng(3, Purpose::kViewOne);
  const std::unique_ptr<bool[]> cut(new bool[200]());
  for (const Cutoff kind : kKinds) draw_cutoff(kind, 0.2, 20, 10, rng, cut.get());
  int64_t count = 0;
  for (int64_t i = 0; i < 200; ++i) count += cut[static_cast<size_t>(i)] ? 1 : 0;
  EXPECT_GE(count, 40);                             // the largest single one
  EXPECT_LE(count, 4 * 10 + 2 * 20 + 4 * 10 + 40);  // as if none overlapped
}

}  // namespace
}  // namespace contrastive::augment
