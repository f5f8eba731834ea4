#include "core/data/mlm_collator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/io/tokenizer_files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::data {
namespace {

const text::Tokenizer& bert_tokenizer() {
  static const auto tokenizer = io::load_tokenizer(fixtures() + "/models/bert_st");
  return *tokenizer;
}

// [CLS], n - 2 ordinary tokens, [SEP].
std::vector<int32_t> text_of(int64_t n, const text::TokenRoles& roles) {
  std::vector<int32_t> ids(static_cast<size_t>(n), roles.special.cls);
  for (int64_t i = 1; i < n; ++i)
    ids[static_cast<size_t>(i)] = roles.ordinary[static_cast<size_t>(i) % roles.ordinary.size()];
  ids.back() = roles.special.sep;
  return ids;
}

MaskedText mask(const std::vector<int32_t>& ids, const MlmOptions& options,
                const text::TokenRoles& roles, uint64_t example) {
  Rng rng(1, Purpose::kMlmMask, 2, example);
  return mask_text(ids.data(), static_cast<int64_t>(ids.size()), options, roles, rng);
}

TEST(MlmCollator, ChoosesTheCountOfTheRuleAndRemembersWhatStoodThere) {
  const text::TokenRoles roles(bert_tokenizer());
  const auto ids = text_of(52, roles);  // 50 candidates: 7.5 on average
  double sum = 0;
  for (uint64_t example = 0; example < 400; ++example) {
    const MaskedText masked = mask(ids, {}, roles, example);
    EXPECT_TRUE(masked.positions.size() == 7 || masked.positions.size() == 8)
        << masked.positions.size();
    sum += static_cast<double>(masked.positions.size());
    ASSERT_EQ(masked.labels.size(), masked.positions.size());
    std::vector<int32_t> restored = masked.ids;
    for (size_t i = 0; i < masked.positions.size(); ++i)
      restored[static_cast<size_t>(masked.positions[i])] = static_cast<int32_t>(masked.labels[i]);
    EXPECT_EQ(restored, ids) << "nothing else changed";
  }
  EXPECT_NEAR(sum / 400, 7.5, 0.13);
}

TEST(MlmCollator, EightyTenTenAtUniformPositions) {
  const text::TokenRoles roles(bert_tokenizer());
  const auto ids = text_of(42, roles);
  std::vector<double> hits(42);
  double masked = 0, random = 0, kept = 0;
  for (uint64_t example = 0; example < 3000; ++example) {
    const MaskedText text = mask(ids, {}, roles, example);
    for (const int64_t position : text.positions) {
      const int32_t id = text.ids[static_cast<size_t>(position)];
      ++hits[static_cast<size_t>(position)];
      if (id == roles.special.mask) ++masked;
      else if (id == ids[static_cast<size_t>(position)]) ++kept;
      else ++random;
      EXPECT_TRUE(id == roles.special.mask || !roles.is_special[static_cast<size_t>(id)]);
    }
  }
  const double total = masked + random + kept;
  EXPECT_NEAR(masked / total, 0.8, 0.015);
  EXPECT_NEAR(random / total, 0.1, 0.012);
  EXPECT_NEAR(kept / total, 0.1, 0.012);
  EXPECT_EQ(hits.front() + hits.back(), 0) << "special tokens are not changed";
  double chi = 0;
  for (size_t i = 1; i < 41; ++i)
    chi += (hits[i] - total / 40) * (hits[i] - total / 40) / (total / 40);
  EXPECT_LT(chi / 39, 2);
}

TEST(MlmCollator, MayChooseSpecialTokens) {
  const text::TokenRoles roles(bert_tokenizer());
  MlmOptions options;
  options.include_special = true;
  options.rate = 1;
  const auto ids = text_of(9, roles);
  EXPECT_EQ(mask(ids, options, roles, 0).positions.size(), 9u);
  options.include_special = false;
  EXPECT_EQ(mask(ids, options, roles, 0).positions.size(), 7u);
}

TEST(MlmCollator, ShortTextsHaveOneTokenToPredictAndEmptyOnesNone) {
  const text::TokenRoles roles(bert_tokenizer());
  for (uint64_t example = 0; example < 50; ++example) {
    EXPECT_EQ(mask(text_of(3, roles), {}, roles, example).positions, std::vector<int64_t>{1});
    EXPECT_TRUE(mask(text_of(2, roles), {}, roles, example).positions.empty());
  }
}

TEST(MlmCollator, DrawsAnewEveryEpoch) {
  const text::TokenRoles roles(bert_tokenizer());
  const auto ids = text_of(60, roles);
  Rng first(1, Purpose::kMlmMask, 0, 5), second(1, Purpose::kMlmMask, 1, 5),
      again(1, Purpose::kMlmMask, 0, 5);
  const auto a = mask_text(ids.data(), 60, {}, roles, first),
             b = mask_text(ids.data(), 60, {}, roles, second),
             c = mask_text(ids.data(), 60, {}, roles, again);
  EXPECT_NE(a.positions, b.positions);
  EXPECT_EQ(a.positions, c.positions);
  EXPECT_EQ(a.ids, c.ids);
}

TEST(MlmCollator, RefusesSharesAboveOne) {
  MlmOptions options;
  options.mask_share = 0.9;
  options.random_share = 0.2;
  expect_error(Status::kArgument, "config keys 'clear.mlm_mask' and 'clear.mlm_random'",
               [&] { options.validate("clear."); });
}

}  // namespace
}  // namespace contrastive::data
