#include "core/torch/augment/tokens/delete_span.h"

#include <gtest/gtest.h>

#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

TEST(DeleteSpan, DeletesFiveTimesFivePercent) {
  for (uint64_t example = 0; example < 50; ++example) {
    Rng rng = rng_for(example), again = rng_for(example);
    const Ids open = delete_spans(text_of(100), {}, plain_del(false), rng),
              closed = delete_spans(text_of(100), {}, plain_del(true), again);
    EXPECT_EQ(count_of(open, kDel), 25);
    EXPECT_LE(count_of(closed, kDel), 5) << "each span leaves one token, neighbours share it";
    EXPECT_GE(count_of(closed, kDel), 1);
    EXPECT_EQ(collapse(open, kDel), closed);
    EXPECT_EQ(closed.front(), 0);
    EXPECT_EQ(closed.back(), 2);
  }
}

// Two spans of two tokens in six positions give six possible texts.
Ids with_two_spans_deleted(Rng& rng) {
  SpanOptions spans;
  spans.count = 2;
  spans.share = 0.25;
  return delete_spans(text_of(8), spans, plain_del(false), rng);
}

TEST(DeleteSpan, EveryPlacementIsAsLikely) {
  std::map<Ids, int64_t> seen;
  for (uint64_t example = 0; example < 20000; ++example) {
    Rng rng = rng_for(example);
    ++seen[with_two_spans_deleted(rng)];
  }
  EXPECT_TRUE(is_uniform(seen, 6));
}

TEST(DeleteSpan, ViewsAreIndependent) {
  EXPECT_TRUE(views_are_independent(with_two_spans_deleted));
}

TEST(DeleteSpan, ViewsOfTheGaussianSamplerAreIndependent) {
  SpanOptions spans;
  spans.count = 1;
  spans.share = 0.25;
  spans.sampler = SpanSampler::kGaussian;
  spans.deviation = 1;
  // The position and length of the span; lengths of three and more are one outcome, because they
  // are rare.
  EXPECT_TRUE(views_are_independent([&](Rng& rng) {
    const Ids view = delete_spans(text_of(8), spans, plain_del(false), rng);
    return std::pair(std::find(view.begin(), view.end(), kDel) - view.begin(),
                     std::min<int64_t>(count_of(view, kDel), 3));
  }));
}

TEST(DeleteSpan, ShortTextsLoseNoMoreThanTheyHave) {
  Rng rng = rng_for(3);
  EXPECT_EQ(delete_spans(text_of(2), {}, plain_del(), rng), text_of(2)) << "no room for a span";
  EXPECT_EQ(delete_spans(text_of(3), {}, plain_del(), rng), (Ids{0, kDel, 2}));
  SpanOptions whole;
  whole.share = 1;
  EXPECT_EQ(delete_spans(text_of(9), whole, plain_del(), rng), (Ids{0, kDel, 2}))
      << "a span longer than the text is cut to it";
}

}  // namespace
}  // namespace contrastive::augment
