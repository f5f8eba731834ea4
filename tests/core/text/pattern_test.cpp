#include "core/text/pattern.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "core/text/regular_expression.h"
#include "tests/core/text/expect_error.h"

namespace contrastive::text {
namespace {

using Found = std::vector<std::string>;

Found found(const Pattern& pattern, std::string_view text) {
  std::vector<Span> matches;
  pattern.find(text, matches);
  Found result;
  for (const Span& match : matches)
    result.emplace_back(text.substr(match.begin, match.end - match.begin));
  return result;
}

TEST(Pattern, AStringMeansItself) {
  EXPECT_EQ(found(*literal_pattern("aa"), "aaaaa"), (Found{"aa", "aa"}));
  EXPECT_EQ(found(*literal_pattern("."), "a.b"), (Found{"."}));
  EXPECT_TRUE(found(*literal_pattern("."), "ab").empty());
  EXPECT_TRUE(literal_pattern(" ")->keeps_words());
  EXPECT_FALSE(literal_pattern("th")->keeps_words());
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
    EXPECT_TRUE(code->cuts_before_space());
    for (int i = 0; i < 2000; ++i) {
      std::string text;
      for (size_t size = 1 + random() % 12; size > 0; --size) text += bits[random() % bits.size()];
      ASSERT_EQ(found(*code, text), found(searched, text)) << text;
    }
  }
}

TEST(RegularExpression, IsReadAsOnigurumaReadsIt) {
  EXPECT_EQ(found(RegularExpression(R"(\w+)", "p"), "a² b_1-é"), (Found{"a²", "b_1", "é"}));
  EXPECT_EQ(found(RegularExpression(R"([^\w]+)", "p"), "a²-b"), (Found{"²-"}));
  EXPECT_EQ(found(RegularExpression(R"(\h+)", "p"), "xCAFEy"), (Found{"CAFE"}));
  EXPECT_EQ(found(RegularExpression(R"(\bb\w*)", "p"), "ab bc"), (Found{"bc"}));
  EXPECT_EQ(found(RegularExpression("^.", "p"), "ab\ncd"), (Found{"a", "c"}));
  EXPECT_EQ(found(RegularExpression("[[:punct:]]", "p"), "a+b."), (Found{"+", "."}));
  EXPECT_EQ(found(RegularExpression(R"(\p{N}+)", "p"), "x\U00010D40y"),
            (Found{"\U00010D40"}));  // a digit of Unicode 16
}

TEST(RegularExpression, RefusesWhatIsNone) {
  expect_error(Status::kFormat, "p: not a regular expression", [] { RegularExpression("(", "p"); });
  expect_error(Status::kFormat, "p: not a regular expression",
               [] { RegularExpression("[a", "p"); });
  expect_error(Status::kFormat, "p: not a regular expression",
               [] { RegularExpression("a{2,1}", "p"); });
  expect_error(Status::kUnsupported, "\\X is not known", [] { RegularExpression("\\X", "p"); });
  std::string many;
  for (int i = 0; i < 500; ++i) many += "\\b";
  expect_error(Status::kLimit, "classes of characters", [&] { RegularExpression(many, "p"); });
  expect_error(Status::kLimit, "above the limit",
               [] { RegularExpression(std::string(1 << 20, 'a'), "p"); });
}

TEST(RegularExpression, AnExplodingOneEnds) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Span> matches;
  const RegularExpression steps("(a+)+b", "p"), memory("(?:a|b)*c", "p");
  expect_error(Status::kLimit, "takes too long",
               [&] { steps.find(std::string(60, 'a'), matches); });
  expect_error(Status::kLimit, "or too much memory",
               [&] { memory.find(std::string(1 << 22, 'a'), matches); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(found(steps, "aab"), (Found{"aab"}));  // and still works
}

TEST(RegularExpression, MegabytesAreNoExplosion) {
  std::string text;
  while (text.size() < 3000000) text += "a word, 12 words; ";
  std::vector<Span> matches;
  RegularExpression(R"([^\s\p{P}]+(?:[ ]+(?=\d)|\b)|\p{P})", "p").find(text, matches);
  EXPECT_GT(matches.size(), 500000u);
}

TEST(RegularExpression, ThreadsShareIt) {
  const RegularExpression expression("[0-9]+", "p");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&expression, t] {
      const std::string number = std::to_string(1000 + t);
      for (int i = 0; i < 500; ++i)
        ASSERT_EQ(found(expression, "a" + number + "b7"), (Found{number, "7"}));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace contrastive::text
