#include "core/text/long_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/core/text/merges.h"

namespace contrastive::text {
namespace {

// Texts of a few letters, which merge in many ways, in windows much smaller than they are.
TEST(LongPiece, WindowsGiveTheTokensOfTheWhole) {
  TokenList tokens;
  for (const std::string& character : byte_characters())
    tokens.emplace_back(character, static_cast<int32_t>(tokens.size()));
  for (const auto& [left, right] : kMerges)
    tokens.emplace_back(left + right, static_cast<int32_t>(tokens.size()));
  const Vocabulary vocabulary(tokens, "test");
  const ByteBpe model(vocabulary, kMerges, {}, "test");
  std::mt19937_64 random(3);
  size_t joined = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const size_t size = 1 + random() % 300, letters = 1 + random() % 3;
    while (text.size() < size) text += "ab "[random() % letters];
    std::vector<ByteBpe::Part> whole, done, all;
    model.compute(text, whole);
    LongPiece piece(model, 32);
    size_t at = 0, known = 0;
    while (at < text.size()) {
      known = std::min(text.size(), known + 1 + random() % 40);
      const size_t used =
          piece.advance(std::string_view(text).substr(at, known - at), known == text.size(), done);
      at += used;
      joined += used > 0 && at < text.size();
      all.insert(all.end(), done.begin(), done.end());
    }
    ASSERT_EQ(all.size(), whole.size()) << text;
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_TRUE(all[i].id == whole[i].id && all[i].length == whole[i].length)
          << text << " at " << i;
  }
  EXPECT_GT(joined, 1000u);
}

}  // namespace
}  // namespace contrastive::text
