#include "core/text/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace contrastive::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> bert(std::string_view text) {
  std::vector<std::string> words;
  split_bert(text, [&](size_t begin, size_t end) {
    words.emplace_back(text.substr(begin, end - begin));
  });
  return words;
}

std::vector<std::string> gpt2(std::string_view text) {
  std::vector<std::string> pieces;
  split_gpt2(text, [&](size_t begin, size_t end) {
    pieces.emplace_back(text.substr(begin, end - begin));
  });
  return pieces;
}

TEST(SplitBert, AtSpaceAndAroundPunctuation) {
  EXPECT_THAT(bert("Hey friend!     How are you?!?"),
              ElementsAre("Hey", "friend", "!", "How", "are", "you", "?", "!", "?"));
  EXPECT_THAT(bert("l'âme\u3000est—là。"), ElementsAre("l", "'", "âme", "est", "—", "là", "。"));
  EXPECT_THAT(bert("$5^2"), ElementsAre("$", "5", "^", "2"));
  EXPECT_THAT(bert(""), IsEmpty());
  EXPECT_THAT(bert(" \t\n\u00A0"), IsEmpty());
}

TEST(SplitGpt2, LettersNumbersAndTheRest) {
  EXPECT_THAT(gpt2("Hello world 123!?"), ElementsAre("Hello", " world", " 123", "!?"));
  EXPECT_THAT(gpt2("a1b2½c"), ElementsAre("a", "1", "b", "2½", "c"));
  EXPECT_THAT(gpt2("中文 か\u3099"),
              ElementsAre("中文", " か", "\u3099"));  // the mark is not a letter
  EXPECT_THAT(gpt2(""), IsEmpty());
}

TEST(SplitGpt2, ContractionsOfSmallLettersOnly) {
  EXPECT_THAT(gpt2("I'm you're he'd we'll it's don't they've"),
              ElementsAre("I", "'m", " you", "'re", " he", "'d", " we", "'ll", " it", "'s", " don",
                          "'t", " they", "'ve"));
  EXPECT_THAT(gpt2("IT'S 's ''s 'x'"),
              ElementsAre("IT", "'", "S", " '", "s", " ''", "s", " '", "x", "'"));
  EXPECT_THAT(gpt2("'stop'lla"), ElementsAre("'s", "top", "'ll", "a"));
}

TEST(SplitGpt2, ARunOfSpaceGivesItsLastOneAway) {
  EXPECT_THAT(gpt2("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(gpt2("a \n b"), ElementsAre("a", " \n", " b"));
  EXPECT_THAT(gpt2("a\n\nb"), ElementsAre("a", "\n", "\n", "b"));
  EXPECT_THAT(gpt2("a\tb"), ElementsAre("a", "\t", "b"));
  EXPECT_THAT(gpt2("a  "), ElementsAre("a", "  "));
  EXPECT_THAT(gpt2("   "), ElementsAre("   "));
  EXPECT_THAT(gpt2("a\u3000\u3000!"), ElementsAre("a", "\u3000", "\u3000", "!"));
  EXPECT_THAT(gpt2("x \u00A0y"), ElementsAre("x", " ", "\u00A0", "y"));
}

}  // namespace
}  // namespace contrastive::text
