#include "core/text/token_map.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace contrastive::text {
namespace {

TEST(TokenMap, FindsWhatWasInsertedAndNothingElse) {
  std::deque<std::string> tokens;
  TokenMap map(5000);
  for (int32_t i = 0; i < 5000; ++i) {
    tokens.push_back("t" + std::to_string(i * 7));
    ASSERT_TRUE(map.insert(tokens.back(), i));
  }
  for (int32_t i = 0; i < 5000; ++i) ASSERT_EQ(map.find("t" + std::to_string(i * 7)), i);
  EXPECT_EQ(map.find("t1"), -1);
  EXPECT_EQ(map.find(""), -1);
  EXPECT_FALSE(map.insert("t7", 9));
  EXPECT_EQ(map.find("t7"), 1);
  EXPECT_EQ(map.longest(), 6u);
}

TEST(TokenMap, AnEmptyTableIsSearchable) {
  const TokenMap map(0);
  EXPECT_EQ(map.find("a"), -1);
  EXPECT_EQ(map.longest(), 0u);
}

}  // namespace
}  // namespace contrastive::text
