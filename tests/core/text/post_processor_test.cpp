#include "core/text/post_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

using testing::Pair;

std::pair<int64_t, int64_t> truncated(int64_t room, int64_t first, int64_t second) {
  truncate_longest_first(room, first, second);
  return {first, second};
}

TEST(PostProcessor, CountsItsSpecialTokens) {
  EXPECT_EQ(bert_post_processor(1, 2).special_count(false), 2);
  EXPECT_EQ(bert_post_processor(1, 2).special_count(true), 3);
  EXPECT_EQ(roberta_post_processor(1, 2).special_count(true), 4);
  EXPECT_EQ(PostProcessor().special_count(true), 0);
}

TEST(PostProcessor, TrimsSpaceButNotAPrefixOfItsOwn) {
  PostProcessor processor;
  int64_t begin = 4, end = 10;
  processor.trim(1, 1, 1, false, begin, end);
  EXPECT_EQ(begin, 4);
  processor.trim_offsets = true;
  processor.trim(1, 1, 2, false, begin, end);
  EXPECT_EQ(begin, 5);
  EXPECT_EQ(end, 8);
  processor.trim_keeps_prefix_space = true;
  processor.trim(1, 1, 0, true, begin, end);
  EXPECT_EQ(begin, 5);
  processor.trim(9, 9, 9, true, begin, end);
  EXPECT_EQ(begin, 8);
  EXPECT_EQ(end, 8);
}

TEST(TruncateLongestFirst, EqualsHuggingFace) {
  EXPECT_THAT(truncated(10, 4, 6), Pair(4, 6));
  EXPECT_THAT(truncated(10, 4, 9), Pair(4, 6));
  EXPECT_THAT(truncated(10, 9, 4), Pair(6, 4));
  EXPECT_THAT(truncated(10, 9, 9), Pair(5, 5));
  EXPECT_THAT(truncated(9, 9, 9), Pair(4, 5));  // a tie: the second text gets the odd token
  EXPECT_THAT(truncated(9, 12, 9), Pair(5, 4));
  EXPECT_THAT(truncated(9, 9, 12), Pair(4, 5));
  EXPECT_THAT(truncated(0, 3, 3), Pair(0, 0));
  EXPECT_THAT(truncated(1, 3, 3), Pair(0, 1));
  EXPECT_THAT(truncated(5, 0, 9), Pair(0, 5));
}

TEST(TruncateLongestFirst, FillsTheRoomAndNeverGrows) {
  for (int64_t room = 0; room < 12; ++room) {
    for (int64_t first = 0; first < 12; ++first) {
      for (int64_t second = 0; second < 12; ++second) {
        const auto [a, b] = truncated(room, first, second);
        EXPECT_EQ(a + b, std::min(room, first + second));
        EXPECT_LE(a, first);
        EXPECT_LE(b, second);
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::text
