#include "core/augment/tokens/delete_span.h"

#include <gtest/gtest.h>

#include "tests/core/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

TEST(DeleteSpan, DeletesFiveTimesFivePercent) {
  for (uint64_t example = 0; example < 50; ++example) {
    Rng rng = rng_for(example), again = rng_for(example);
    const Ids open = delete_spans(text_of(100), {}, plain_del(false), rng), closed = delete_spans(text_of(100), {}, plain_del(true), again);
    EXPECT_EQ(count_of(open, kDel), 25);
    EXPECT_LE(count_of(closed, kDel), 5) << "each span leaves one token, neighbours share it";
    EXPECT_GE(count_of(closed, kDel), 1);
    EXPECT_EQ(collapse(open, kDel), closed);
    EXPECT_EQ(closed.front(), 0);
    EXPECT_EQ(closed.back(), 2);
  }
}

TEST(DeleteSpan, ShortTextsLoseNoMoreThanTheyHave) {
  Rng rng = rng_for(3);
  EXPECT_EQ(delete_spans(text_of(2), {}, plain_del(), rng), text_of(2)) << "no room for a span";
  EXPECT_EQ(delete_spans(text_of(3), {}, plain_del(), rng), (Ids{0, kDel, 2}));
  SpanOptions whole;
  whole.share = 1;
  EXPECT_EQ(delete_spans(text_of(9), whole, plain_del(), rng), (Ids{0, kDel, 2})) << "a span longer than the text is cut to it";
}

}  // namespace
}  // namespace contrastive::augment
