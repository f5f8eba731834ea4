#include "core/text/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AddedToken token(const std::string& content, int32_t id) {
  AddedToken made;
  made.content = content;
  made.id = id;
  return made;
}

AddedTokenFinder finder(std::vector<AddedToken> tokens) {
  std::vector<std::string> contents;
  for (const AddedToken& each : tokens) contents.push_back(each.content);
  return AddedTokenFinder(std::move(contents), std::move(tokens));
}

// Pieces in order; those that are a token as "id:text".
std::vector<std::string> split(const AddedTokenFinder& found, std::string_view text) {
  std::vector<std::string> pieces;
  found.split(text, [&](size_t begin, size_t end, const AddedToken* each) {
    EXPECT_LT(begin, end);
    pieces.push_back((each != nullptr ? std::to_string(each->id) + ":" : "") +
                     std::string(text.substr(begin, end - begin)));
  });
  return pieces;
}

TEST(AddedTokenFinder, CutsTheTextAroundTokens) {
  const AddedTokenFinder found = finder({token("[MASK]", 1), token("[SEP]", 2)});
  EXPECT_THAT(split(found, "a [MASK]b[SEP][SEP]"),
              ElementsAre("a ", "1:[MASK]", "b", "2:[SEP]", "2:[SEP]"));
  EXPECT_THAT(split(found, "[MAS[MASK] [mask]"), ElementsAre("[MAS", "1:[MASK]", " [mask]"));
  EXPECT_THAT(split(found, ""), IsEmpty());
  EXPECT_THAT(split(finder({}), "abc"), ElementsAre("abc"));
  EXPECT_THAT(split(finder({token("", 1)}), "abc"), ElementsAre("abc"));
}

TEST(AddedTokenFinder, TakesTheLeftmostThenTheLongest) {
  const AddedTokenFinder found = finder({token("ab", 1), token("abcd", 2), token("bcdef", 3)});
  EXPECT_THAT(split(found, "abcdef"), ElementsAre("2:abcd", "ef"));
  EXPECT_THAT(split(found, "abcbcdef"), ElementsAre("1:ab", "c", "3:bcdef"));
}

TEST(AddedTokenFinder, TakesSpaceWithItWhereItShould) {
  AddedToken left = token("<l>", 1), right = token("<r>", 2);
  left.lstrip = true;
  right.rstrip = true;
  const AddedTokenFinder found = finder({left, right});
  EXPECT_THAT(split(found, "a \u3000<l> b"), ElementsAre("a", "1: \u3000<l>", " b"));
  EXPECT_THAT(split(found, "a <r>\t\n b"), ElementsAre("a ", "2:<r>\t\n ", "b"));
  EXPECT_THAT(split(found, "<r>  <l>"), ElementsAre("2:<r>  ", "1:<l>"));  // each space only once
  EXPECT_THAT(split(found, "  <l>"), ElementsAre("1:  <l>"));
}

TEST(AddedTokenFinder, WholeWordsOnlyWhereAsked) {
  AddedToken word = token("ent", 1);
  word.single_word = true;
  const AddedTokenFinder found = finder({word});
  EXPECT_THAT(split(found, "ent"), ElementsAre("1:ent"));
  EXPECT_THAT(split(found, "(ent) entente"), ElementsAre("(", "1:ent", ") entente"));
  EXPECT_THAT(split(found, "éent ent\u0301 ent-"), ElementsAre("éent ent\u0301 ", "1:ent", "-"));
}

}  // namespace
}  // namespace contrastive::text
