#include "core/text/regular_expression.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/expect_error.h"
#include "tests/core/text/found.h"

namespace contrastive::text {
namespace {

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
