#include "core/torch/augment/tokens/reorder.h"

#include <gtest/gtest.h>

#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

TEST(Reorder, SwapsAsPublished) {
  const Json test = augment_vectors().at("reorder");
  const Json& pair = test.at("pair");  // both ends belong to a span
  const auto span = [](const Json& ends) {
    return TokenSpan{ends[0].get<int64_t>(), ends[1].get<int64_t>() + 1};
  };
  const Ids expected = test.at("out").get<Ids>();
  EXPECT_EQ(swap_spans(test.at("tokens").get<Ids>(), {{span(pair[0]), span(pair[1])}}), expected);
  EXPECT_EQ(swap_spans(test.at("tokens").get<Ids>(), {{span(pair[1]), span(pair[0])}}), expected)
      << "the order of a pair means nothing";
}

TEST(Reorder, PairsOfDifferentLengthsMayInterlock) {
  // a = [1,3) with [6,7), b = [4,5) with [8,9): all four positions are filled at the same time.
  EXPECT_EQ(swap_spans({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {{{1, 3}, {6, 7}}, {{4, 5}, {8, 9}}}),
            (Ids{0, 6, 3, 8, 5, 1, 2, 7, 4, 9}));
}

TEST(Reorder, KeepsEveryTokenAndBothEnds) {
  int64_t moved = 0;
  for (uint64_t example = 0; example < 100; ++example) {
    for (const SpanSampler sampler : {SpanSampler::kFixed, SpanSampler::kGaussian}) {
      SpanOptions spans;
      spans.sampler = sampler;
      Rng rng = rng_for(example);
      const Ids view = reorder(text_of(100), 5, spans, false, rng);
      EXPECT_EQ(sorted(view), sorted(text_of(100)));
      EXPECT_EQ(view.front(), 0);
      EXPECT_EQ(view.back(), 2);
      moved += view != text_of(100);
      if (sampler != SpanSampler::kFixed) continue;
      int64_t places = 0;
      for (size_t i = 0; i < view.size(); ++i) places += view[i] != text_of(100)[i];
      EXPECT_EQ(places, 50) << "ten spans of five tokens, all moved";
    }
  }
  EXPECT_EQ(moved, 200);
}

TEST(Reorder, ShortTexts) {
  Rng rng = rng_for(4);
  EXPECT_EQ(reorder(text_of(2), 5, {}, false, rng), text_of(2));
  EXPECT_EQ(reorder(text_of(3), 5, {}, false, rng), text_of(3)) << "one span has no partner";
  EXPECT_EQ(reorder(text_of(4), 5, {}, false, rng), (Ids{0, 102, 101, 2}));
}

TEST(Reorder, MaySkipInOneOfPairsPlusOne) {
  int64_t skipped = 0;
  for (uint64_t example = 0; example < 2000; ++example) {
    Rng rng = rng_for(example);
    skipped += reorder(text_of(100), 3, {}, true, rng) == text_of(100);
  }
  EXPECT_NEAR(static_cast<double>(skipped), 500, 97);  // 5 standard deviations
}

// Every choice of spans and pairs gives a different text. Only pairs of neighbours, a span that
// always has a partner, or a position that is never used would give fewer texts, or some more
// often.
TEST(Reorder, EveryChoiceOfPairsIsAsLikely) {
  struct Case {
    int64_t n, pairs;
    double share;
    size_t texts;
  };
  const Case cases[] = {{8, 1, 0.05, 15},  // two tokens of six
                        {8, 2, 0.05, 45},  // four tokens of six, in three ways
                        {7, 3, 0.05, 15},  // five tokens are one too few: each may be the one
                                           // without a partner, and the others pair up in three
                                           // ways
                        {8, 1, 0.25, 6},   // two spans of two tokens in six positions
                        {12, 2, 0.17,
                         45}};  // four spans of two tokens in ten positions, in three ways
  for (const Case& test : cases) {
    SpanOptions spans;
    spans.share = test.share;
    std::map<Ids, int64_t> seen;
    for (uint64_t example = 0; example < 15000; ++example) {
      Rng rng = rng_for(example);
      ++seen[reorder(text_of(test.n), test.pairs, spans, false, rng)];
    }
    EXPECT_TRUE(is_uniform(seen, test.texts)) << test.pairs << " pairs in a text of " << test.n;
  }
}

TEST(Reorder, ViewsAreIndependent) {
  // The swap of any two of six tokens, or none: whether a view is skipped is independent of the
  // other view.
  EXPECT_TRUE(
      views_are_independent([](Rng& rng) { return reorder(text_of(8), 1, {}, true, rng); }));
}

}  // namespace
}  // namespace contrastive::augment
