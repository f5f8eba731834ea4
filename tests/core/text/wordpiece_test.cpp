#include "core/text/wordpiece.h"
#include "tests/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

using testing::ElementsAre;

TokenList numbered(const std::vector<std::string>& tokens) {
  TokenList list;
  for (const std::string& token : tokens)
    list.emplace_back(token, static_cast<int32_t>(list.size()));
  return list;
}

const Vocabulary& vocabulary() {
  static const Vocabulary made(numbered({"[UNK]", "un", "##aff", "##able", "unaff", "##a", "é",
                                         "##é", "##", "b", "##b", "unaffordable"}),
                               "v");
  return made;
}

std::vector<int32_t> ids(const WordPiece& model, std::string_view word) {
  NormalizedText text;
  take_as_given(word, 0, true, text);
  TokenSequence fast, aligned;
  aligned.aligned = true;
  model.tokenize(text, 0, word.size(), fast);
  model.tokenize(text, 0, word.size(), aligned);
  EXPECT_EQ(fast.ids, aligned.ids);
  EXPECT_EQ(aligned.begins.size(), aligned.ids.size());
  return fast.ids;
}

TEST(WordPiece, TakesTheLongestTokenFirst) {
  const WordPiece model(vocabulary(), {}, "v");
  EXPECT_THAT(ids(model, "unaffable"), ElementsAre(4, 3));
  EXPECT_THAT(ids(model, "unaffordable"), ElementsAre(11));
  EXPECT_THAT(ids(model, "una"), ElementsAre(1, 5));
  EXPECT_THAT(ids(model, "éé"), ElementsAre(6, 7));
}

TEST(WordPiece, AWordThatCannotBeCutWholeIsUnknown) {
  const WordPiece model(vocabulary(), {}, "v");
  EXPECT_THAT(ids(model, "unx"), ElementsAre(0));
  EXPECT_THAT(ids(model, "x"), ElementsAre(0));
  EXPECT_THAT(ids(model, "aff"), ElementsAre(0));  // occurs only inside words
}

TEST(WordPiece, CountsCharactersNotBytes) {
  const WordPiece model(vocabulary(), {}, "v");
  std::string word;
  for (int i = 0; i < 100; ++i) word += "é";
  EXPECT_EQ(ids(model, word).size(), 100u);
  EXPECT_THAT(ids(model, word + "é"), ElementsAre(0));
  EXPECT_THAT(ids(model, std::string(1000000, 'b')), ElementsAre(0));
  WordPieceOptions options;
  options.max_input_chars_per_word = 1000000;
  EXPECT_EQ(ids(WordPiece(vocabulary(), options, "v"), std::string(1000000, 'b')).size(), 1000000u);
}

TEST(WordPiece, OffsetsAreThoseOfTheCharacters) {
  const WordPiece model(vocabulary(), {}, "v");
  NormalizedText text;
  take_as_given("éé", 5, true, text);
  TokenSequence out;
  out.aligned = true;
  model.tokenize(text, 0, 4, out);
  EXPECT_THAT(out.begins, ElementsAre(5, 7));
  EXPECT_THAT(out.ends, ElementsAre(7, 9));
}

TEST(WordPiece, ThePrefixIsAnOption) {
  const Vocabulary tokens(numbered({"<unk>", "a", "@b", "b"}), "v");
  WordPieceOptions options;
  options.unknown_token = "<unk>";
  options.continuing_prefix = "@";
  EXPECT_THAT(ids(WordPiece(tokens, options, "v"), "abb"), ElementsAre(1, 2, 2));
  options.continuing_prefix = "";
  EXPECT_THAT(ids(WordPiece(tokens, options, "v"), "abb"), ElementsAre(1, 3, 3));
  expect_error(Status::kFormat, "no [UNK]", [&] { WordPiece(tokens, {}, "v"); });
}

}  // namespace
}  // namespace contrastive::text
