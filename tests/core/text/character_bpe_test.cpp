#include "core/text/character_bpe.h"
#include "tests/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace contrastive::text {
namespace {

using testing::ElementsAre;

Vocabulary vocabulary_of(const std::vector<std::string>& tokens) {
  TokenList list;
  for (const std::string& token : tokens)
    list.emplace_back(token, static_cast<int32_t>(list.size()));
  return Vocabulary(list, "v");
}

std::vector<int32_t> ids(const CharacterBpe& model, std::string_view piece) {
  std::vector<int32_t> result;
  std::vector<TokenPart> buffer;
  for (size_t at = 0; at < piece.size();) {
    const size_t end = model.stretch_end(piece, at);
    const TokenParts parts = model.tokens(piece.substr(at, end - at), buffer);
    for (size_t i = 0; i < parts.size; ++i) result.push_back(parts.data[i].id);
    at = end;
  }
  return result;
}

TEST(CharacterBpe, MergesCharactersByRank) {
  const Vocabulary vocabulary = vocabulary_of({"a", "b", "é", "ab", "éa", "abé"});
  const CharacterBpe model(vocabulary, {{"é", "a"}, {"a", "b"}, {"ab", "é"}}, {}, "v");
  EXPECT_THAT(ids(model, "abé"), ElementsAre(5));
  EXPECT_THAT(ids(model, "abéa"), ElementsAre(3, 4));
  EXPECT_THAT(ids(model, "axb"),
              ElementsAre(3));  // without an unknown token, unknown characters are dropped
}

TEST(CharacterBpe, UnknownCharactersAloneOrFused) {
  const Vocabulary vocabulary = vocabulary_of({"<unk>", "a", "b", "ab"});
  const CharacterBpe fused(vocabulary, {{"a", "b"}}, {"<unk>", false, true, false}, "v"),
      alone(vocabulary, {{"a", "b"}}, {"<unk>", false, false, false}, "v");
  EXPECT_THAT(ids(fused, "axxb"), ElementsAre(1, 0, 2));
  EXPECT_THAT(ids(alone, "axxb"), ElementsAre(1, 0, 0, 2));
  expect_error(Status::kFormat, "lacks the unknown token <none>",
               [&] { CharacterBpe(vocabulary, {}, {"<none>", false, false, false}, "v"); });
}

TEST(CharacterBpe, FallsBackToBytes) {
  const Vocabulary vocabulary = vocabulary_of({"<unk>", "a", "<0xC3>", "<0xA9>"});
  const CharacterBpe model(vocabulary, {}, {"<unk>", true, true, false}, "v");
  EXPECT_THAT(ids(model, "aé"), ElementsAre(1, 2, 3));
  // As in Hugging Face's, è, for which a byte token is missing, is emitted as unknown only before
  // the next known character.
  EXPECT_THAT(ids(model, "èèéa"), ElementsAre(2, 3, 0, 1));
}

TEST(CharacterBpe, APieceThatIsATokenNeedsNoMerge) {
  const Vocabulary vocabulary = vocabulary_of({"a", "b", "c", "ab", "abc"});
  EXPECT_THAT(ids(CharacterBpe(vocabulary, {{"a", "b"}}, {"", false, false, true}, "v"), "abc"),
              ElementsAre(4));
  EXPECT_THAT(ids(CharacterBpe(vocabulary, {{"a", "b"}}, {}, "v"), "abc"), ElementsAre(3, 2));
}

// If a text is cut where no merge crosses the cut, its tokens do not change.
TEST(CharacterBpe, StretchesGiveTheTokensOfTheWhole) {
  const std::string blank = "\u2581";
  const Vocabulary vocabulary =
      vocabulary_of({"<unk>", blank, "a", "b", "c", blank + "a", "a" + blank, blank + blank,
                     blank + "ab", "ab", "bc", "b" + blank + "a", "b" + blank});
  const CharacterBpe model(vocabulary,
                           {{blank, "a"},
                            {"b", blank},
                            {blank, blank},
                            {"a", "b"},
                            {blank, "ab"},
                            {"b", blank + "a"},
                            {"b", "c"}},
                           {"<unk>", false, true, false}, "v");
  std::mt19937_64 random(4);
  size_t stretches = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (size_t size = 1 + random() % 20; size > 0; --size)
      text += std::vector<std::string>{blank, "a", "b", "c", "x"}[random() % 5];
    std::vector<TokenPart> whole;
    model.compute(text, whole);
    std::vector<int32_t> expected;
    for (const TokenPart& part : whole) expected.push_back(part.id);
    ASSERT_EQ(ids(model, text), expected) << text;
    for (size_t at = 0; at < text.size(); ++stretches) at = model.stretch_end(text, at);
  }
  EXPECT_GT(stretches, 6000u);
}

TEST(CharacterBpe, AMillionCharactersTakeNoQuadraticTime) {
  const Vocabulary vocabulary = vocabulary_of({"<unk>", "a", "aa", "aaaa"});
  const CharacterBpe model(vocabulary, {{"a", "a"}, {"aa", "aa"}}, {"<unk>", false, true, false},
                           "v");
  std::vector<TokenPart> parts;
  model.compute(std::string(1000000, 'a'), parts);
  EXPECT_EQ(parts.size(), 250000u);
}

}  // namespace
}  // namespace contrastive::text
