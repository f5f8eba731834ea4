#include "core/text/unigram.h"
#include "tests/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace contrastive::text {
namespace {

using testing::ElementsAre;

using Scored = std::vector<std::pair<std::string, double>>;

// A model and its vocabulary, to which it has pointers.
struct Made {
  Made(const Scored& pieces, UnigramOptions options) {
    TokenList tokens;
    std::vector<double> scores;
    for (const auto& [token, score] : pieces) {
      tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
      scores.push_back(score);
    }
    vocabulary = std::make_unique<Vocabulary>(tokens, "v");
    model = std::make_unique<Unigram>(*vocabulary, scores, options, "v");
  }
  std::vector<int32_t> ids(std::string_view piece) const {
    std::vector<TokenPart> buffer;
    std::vector<int32_t> result;
    const TokenParts parts = model->tokens(piece, buffer);
    for (size_t i = 0; i < parts.size; ++i) result.push_back(parts.data[i].id);
    return result;
  }
  std::unique_ptr<Vocabulary> vocabulary;
  std::unique_ptr<Unigram> model;
};

const Scored kPieces = {{"<unk>", 0}, {"a", -2}, {"b", -2}, {"ab", -4}, {"c", -2.5}, {"abc", -6.5}};

TEST(Unigram, TheFirstOfTwoEqualWaysWins) {
  const Made made(kPieces, {0, false});
  EXPECT_THAT(made.ids("ab"), ElementsAre(3));
  EXPECT_THAT(made.ids("abc"), ElementsAre(5));
  EXPECT_THAT(made.ids("abab"), ElementsAre(3, 3));
}

TEST(Unigram, NeighbouringUnknownCharactersAreOneToken) {
  const Made made(kPieces, {0, false});
  EXPECT_THAT(made.ids("abx"), ElementsAre(3, 0));
  EXPECT_THAT(made.ids("xyab"), ElementsAre(0, 3));
  EXPECT_THAT(made.ids("xaxx"), ElementsAre(0, 1, 0));
  std::vector<TokenPart> parts;
  made.model->compute("é中a", parts);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].length, 5u);
}

Scored with_bytes(int count) {
  Scored pieces = {{"<unk>", 0}, {"a", -1}};
  for (int byte = 0; byte < count; ++byte)
    pieces.emplace_back(ByteTokens::name(static_cast<unsigned char>(byte)), -20);
  return pieces;
}

TEST(Unigram, FallsBackToBytesWhereAllAreThere) {
  const Made all(with_bytes(256), {0, true}), half(with_bytes(128), {0, true});
  EXPECT_THAT(all.ids("aéa"), ElementsAre(1, 2 + 0xC3, 2 + 0xA9, 1));
  EXPECT_THAT(half.ids("a!!a"), ElementsAre(1, 2 + '!', 2 + '!', 1));
  EXPECT_THAT(half.ids("a!éa"), ElementsAre(1, 0, 1));
  std::vector<TokenPart> parts;
  half.model->compute("a!!a", parts);
  EXPECT_EQ(parts[1].length, 2u);
  EXPECT_EQ(parts[2].length, 0u);  // has the position of the previous one
}

TEST(Unigram, RefusesWhatIsNoModel) {
  expect_error(Status::kFormat, "needs a token for unknown characters",
               [] { Made(kPieces, {-1, false}); });
  expect_error(Status::kFormat, "needs a token for unknown characters",
               [] { Made(kPieces, {6, false}); });
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    Scored pieces = kPieces;
    pieces[2].second = bad;
    expect_error(Status::kFormat, "the score of the token 'b' is not a finite number",
                 [&] { Made(pieces, {0, false}); });
  }
}

// Viterbi's search over the whole piece, by its definition.
std::vector<int32_t> by_definition(const Scored& pieces, const std::string& text) {
  double lowest = 0;
  for (const auto& piece : pieces) lowest = std::min(lowest, piece.second);
  std::vector<double> best(text.size() + 1);
  std::vector<std::pair<size_t, int32_t>> from(text.size() + 1, {text.size() + 1, -1});
  for (size_t i = 0; i < text.size(); ++i) {
    bool single = false;
    const auto offer = [&](size_t end, int32_t id, double score) {
      if (from[end].second >= 0 && score <= best[end]) return;
      best[end] = score;
      from[end] = {i, id};
    };
    for (size_t length = 1; length < 5 && i + length <= text.size(); ++length) {
      for (size_t id = 0; id < pieces.size(); ++id) {
        if (text.compare(i, length, pieces[id].first) != 0) continue;
        offer(i + length, static_cast<int32_t>(id), pieces[id].second + best[i]);
        single = single || length == 1;
      }
    }
    if (!single) offer(i + 1, 0, lowest - 10 + best[i]);
  }
  std::vector<int32_t> ids;
  for (size_t end = text.size(); end > 0; end = from[end].first) {
    if (from[end].second != 0 || ids.empty() || ids.back() != 0) ids.push_back(from[end].second);
  }
  return {ids.rbegin(), ids.rend()};
}

TEST(Unigram, AgreesWithTheDefinition) {
  const Scored pieces = {{"<unk>", 0}, {"a", -3},  {"b", -2.5},     {"ab", -4}, {"ba", -4.5},
                         {"aab", -6},  {"bb", -5}, {"abba", -8.25}, {"c", -9},  {"ca", -9.5}};
  const Made made(pieces, {0, false});
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (size_t size = 1 + random() % 30; size > 0; --size) text += "abcx"[random() % 4];
    ASSERT_EQ(made.ids(text), by_definition(pieces, text)) << text;
  }
}

// Longer than the part that is decided at a time, and with unknown characters across the borders.
TEST(Unigram, LongPiecesAreSearchedInBlocks) {
  const Scored pieces = {{"<unk>", 0}, {"a", -3},   {"b", -2.5},
                         {"ab", -4},   {"aab", -6}, {"abba", -8.25}};
  const Made made(pieces, {0, false});
  std::mt19937_64 random(6);
  std::string text;
  while (text.size() < 100000)
    text += std::string(1 + random() % (random() % 50 == 0 ? 9000 : 6), "abx"[random() % 3]);
  std::vector<TokenPart> parts;
  made.model->compute(text, parts);
  std::vector<int32_t> ids;
  size_t covered = 0;
  for (const TokenPart& part : parts) {
    ids.push_back(part.id);
    covered += part.length;
  }
  EXPECT_EQ(covered, text.size());
  EXPECT_EQ(ids, by_definition(pieces, text));
}

}  // namespace
}  // namespace contrastive::text
