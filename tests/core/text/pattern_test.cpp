#include "core/text/pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "core/text/regular_expression.h"
#include "tests/core/text/found.h"

namespace contrastive::text {
namespace {

TEST(Pattern, AStringMeansItself) {
  EXPECT_EQ(found(*literal_pattern("aa"), "aaaaa"), (Found{"aa", "aa"}));
  EXPECT_EQ(found(*literal_pattern("."), "a.b"), (Found{"."}));
  EXPECT_TRUE(found(*literal_pattern("."), "ab").empty());
}

TEST(Pattern, RunsOfACharacter) {
  EXPECT_EQ(found(*expression_pattern(" {2,}", "p"), "a  b c   "), (Found{"  ", "   "}));
  EXPECT_EQ(found(*expression_pattern(" +", "p"), "a  b c"), (Found{"  ", " "}));
}

// The hand-written matchers find the same matches as ICU with the expression.
TEST(Pattern, ExpressionsAsCodeAgreeWithThemselves) {
  const std::string rest = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                    front = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
  const std::vector<std::string> bits = {"a",  "B",    "é",      "中", "'",  "'s",     "'RE",
                                         "'ſ", "1",    "٣",      "½",  " ",  "  ",     "\t",
                                         "\n", "\r\n", "\u3000", ".",  "!?", "\u0301", "😀"};
  std::mt19937_64 random(9);
  for (const std::string& expression :
       {front + rest, front + "{1,3}" + rest,
        std::string(
            R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)")}) {
    const auto code = expression_pattern(expression, "p");
    const RegularExpression searched(expression, "p");
    for (int i = 0; i < 2000; ++i) {
      std::string text;
      for (size_t size = 1 + random() % 12; size > 0; --size) text += bits[random() % bits.size()];
      ASSERT_EQ(found(*code, text), found(searched, text)) << text;
    }
  }
}

}  // namespace
}  // namespace contrastive::text
