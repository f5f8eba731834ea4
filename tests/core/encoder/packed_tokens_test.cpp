#include "core/encoder/packed_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/expect_error.h"

namespace contrastive::encoder {
namespace {

using Rows = std::vector<int32_t>;

constexpr int32_t kIds[] = {5, 1, 6, 7, 8};
constexpr int64_t kOffsets[] = {0, 3, 5};

PackedTokens two_texts() { return {kIds, nullptr, kOffsets, 2}; }

TEST(PackedTokens, EveryTextCountsFromZero) {
  EXPECT_EQ(places(two_texts()), (Rows{0, 1, 2, 0, 1}));
  EXPECT_EQ(two_texts().length(1), 2);
  EXPECT_EQ(two_texts().boundaries(), (std::vector<int64_t>{0, 3, 5}));
  EXPECT_TRUE(places({}).empty());
}

TEST(PackedTokens, PositionsMayBeGiven) {
  const int32_t positions[] = {2, PackedTokens::kOwnPlace, 0, 1, 0};
  PackedTokens tokens = two_texts();
  tokens.positions = positions;
  EXPECT_EQ(places(tokens), (Rows{2, 1, 0, 1, 0}));
  Architecture a;
  a.first_position = 2;
  EXPECT_EQ(position_rows(a, tokens), (Rows{4, 3, 2, 3, 2}));
}

TEST(PackedTokens, PaddingInATextHasTheRowOfItsId) {
  Architecture a;
  a.first_position = 2;
  a.pad_token_id = 1;
  EXPECT_EQ(position_rows(a, two_texts()), (Rows{2, 3, 4, 2, 3}));
  a.skips_padding = true;
  EXPECT_EQ(position_rows(a, two_texts()), (Rows{2, 1, 3, 2, 3}));
}

TEST(PackedTokens, WhatHasNoRowIsRefused) {
  Architecture a;
  a.vocab_size = 9;
  a.max_position_embeddings = 4;
  EXPECT_NO_THROW(check_tokens(a, two_texts()));
  const auto refused = [](const Architecture& architecture, const PackedTokens& tokens,
                          const std::string& message) {
    expect_error(Status::kArgument, message, [&] { check_tokens(architecture, tokens); });
  };
  Architecture small = a;
  small.vocab_size = 8;
  refused(small, two_texts(), "token id 8 is outside the encoder's vocabulary of 8");
  small = a;
  small.max_position_embeddings = 2;
  refused(small, two_texts(), "text 0 has 3 tokens; the encoder takes 1 to 2");
  const int64_t empty[] = {0, 0, 5};
  refused(a, {kIds, nullptr, empty, 2}, "text 0 has 0 tokens");
  const int64_t late[] = {1, 3, 5};
  refused(a, {kIds, nullptr, late, 2}, "the first offset");
  const int32_t types[] = {0, 1, 2, 0, 0};
  refused(a, {kIds, types, kOffsets, 2}, "token type 2 is outside the encoder's 2 types");
  const int32_t positions[] = {4, 0, 0, 0, 0};
  PackedTokens moved = two_texts();
  moved.positions = positions;
  refused(a, moved, "position 4 is outside the encoder's 4");
  const int32_t negative[] = {5, -1, 6, 7, 8};
  refused(a, {negative, nullptr, kOffsets, 2}, "token id -1");
}

}  // namespace
}  // namespace contrastive::encoder
