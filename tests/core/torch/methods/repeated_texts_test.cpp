#include "core/torch/methods/repeated_texts.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/log.h"

namespace contrastive::methods {
namespace {

using objectives::FalseNegatives;

// The warning of masked() for these rows.
std::string warning(const std::vector<int64_t>& ids, int64_t examples,
                    FalseNegatives policy = FalseNegatives::kKeep) {
  std::string said;
  set_log_sink([&](LogLevel, const std::string& message) { said += message; }, LogLevel::kWarning);
  RepeatedTexts repeated("method.false_negatives");
  for (int call = 0; call < 2; ++call)
    repeated.masked(at::tensor(ids, at::kLong), examples, policy);
  set_log_sink({}, LogLevel::kWarning);
  return said;
}

TEST(RepeatedTexts, ViewsOfOneTextAreNoRepetition) {
  EXPECT_EQ(warning({7, 8, 9, 7, 8, 9}, 3), "");
  EXPECT_EQ(warning({7}, 1), "");
}

TEST(RepeatedTexts, ATextOfTwoExamplesIsSaidOnce) {
  const std::string said = warning({7, 8, 7, 1, 2, 3}, 3);
  EXPECT_EQ(said.find("1 of the 6 texts"), 0u) << said;
  EXPECT_NE(said.find("method.false_negatives = mask"), std::string::npos);
  EXPECT_EQ(said.find("1 of the 6", 1), std::string::npos) << "warned twice";
  EXPECT_NE(warning({7, 8, 8, 9}, 2, FalseNegatives::kMask).find("not negatives of each other"),
            std::string::npos);
}

TEST(RepeatedTexts, IdsGoOnOnlyWhereTheyMask) {
  RepeatedTexts repeated("key");
  const at::Tensor ids = at::tensor({1, 2}, at::kLong);
  EXPECT_FALSE(repeated.masked(ids, 1, FalseNegatives::kKeep).defined());
  EXPECT_TRUE(repeated.masked(ids, 1, FalseNegatives::kMask).equal(ids));
}

TEST(RepeatedTexts, EqualTokensHaveEqualIdentities) {
  text::TokenBatch batch;
  batch.ids = {5, 6, 5, 6, 5, 6, 7};
  batch.offsets = {0, 2, 4, 7};
  const at::Tensor ids = text_identities(batch);
  EXPECT_EQ(ids[0].item<int64_t>(), ids[1].item<int64_t>());
  EXPECT_NE(ids[0].item<int64_t>(), ids[2].item<int64_t>());
}

}  // namespace
}  // namespace contrastive::methods
