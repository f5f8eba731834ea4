#include "core/torch/methods/tsdae/word_deletion.h"

#include <gmock/gmock.h>

#include <set>

namespace contrastive::methods {
namespace {

std::string bracketed(std::string_view text) {
  std::string result;
  for (const Word& word : words_of(text))
    result += (word.spaced ? " [" : "[") +
              std::string(text.substr(word.begin, word.end - word.begin)) + "]";
  return result;
}

TEST(WordDeletion, WordsStandBetweenWhiteSpaceAndPunctuationAtTheirEdges) {
  EXPECT_EQ(bracketed("the cat sat"), "[the] [cat] [sat]");
  EXPECT_EQ(bracketed("  \"Don't,\" she said (well-known)...\n"),
            " [\"][Don't][,][\"] [she] [said] [(][well-known][)][.][.][.]");
  EXPECT_EQ(bracketed("caf\u00e9\u3000\u00fcber\u2026"), "[caf\u00e9] [\u00fcber][\u2026]");
  EXPECT_EQ(bracketed("\u4e2d\u6587abc \u4f60"), "[\u4e2d][\u6587][abc] [\u4f60]");
  EXPECT_EQ(bracketed(""), "");
  EXPECT_EQ(bracketed(" \t\n"), "");
  EXPECT_EQ(bracketed("..."), "[.][.][.]");
  EXPECT_EQ(bracketed("a \xff\xfe b"), "[a] [\xff\xfe] [b]");
}

TEST(WordDeletion, KeepsTheOrderAndAtLeastOneWord) {
  const std::string text = "one two, three four five.";
  std::set<std::string> seen;
  for (uint64_t example = 0; example < 300; ++example) {
    Rng rng(7, Purpose::kDeletion, 0, example);
    const std::string left = delete_words(text, 0.6, rng);
    ASSERT_FALSE(left.empty());
    size_t at = 0;
    for (const Word& word : words_of(left)) {
      at = text.find(left.substr(word.begin, word.end - word.begin), at);
      ASSERT_NE(at, std::string::npos) << left;
      ++at;
    }
    seen.insert(left);
  }
  EXPECT_GT(seen.size(), 60u);
  for (uint64_t example = 0; example < 50; ++example) {
    Rng rng(7, Purpose::kDeletion, 0, example);
    EXPECT_EQ(words_of(delete_words("one two three", 1 - 1e-9, rng)).size(), 1u);
  }
}

TEST(WordDeletion, WhiteSpaceStaysBetweenWordsWhoseBracketOrQuoteIsDeleted) {
  for (uint64_t example = 0; example < 200; ++example) {
    Rng rng(7, Purpose::kDeletion, 0, example);
    const std::string left = delete_words("one (two) \"three\" [four]", 0.6, rng);
    for (const Word& word : words_of(left)) {
      const std::string found = left.substr(word.begin, word.end - word.begin);
      EXPECT_TRUE(found.size() == 1 ||
                  std::set<std::string>({"one", "two", "three", "four"}).count(found) > 0)
          << left;
    }
  }
}

TEST(WordDeletion, DeletesTheShareThatIsAskedFor) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word" + std::to_string(i) + " ";
  for (const double ratio : {0.0, 0.3, 0.6, 0.9}) {
    double kept = 0;
    for (uint64_t example = 0; example < 20; ++example) {
      Rng rng(3, Purpose::kDeletion, 1, example);
      kept += static_cast<double>(words_of(delete_words(text, ratio, rng)).size());
    }
    EXPECT_NEAR(kept / 20000, 1 - ratio, 0.012) << ratio;
  }
}

TEST(WordDeletion, JoinsWhatIsLeftAsItStood) {
  Rng rng(1, Purpose::kDeletion);
  EXPECT_EQ(delete_words("Hello,  world (again)!\n", 0, rng), "Hello, world (again)!");
  EXPECT_EQ(delete_words("  ", 0.6, rng), "  ") << "a text without words stays";
  EXPECT_EQ(delete_words("", 0.6, rng), "");
}

}  // namespace
}  // namespace contrastive::methods
