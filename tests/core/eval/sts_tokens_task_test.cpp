#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/core/eval/sts/study_tests.h"

namespace contrastive::eval {
namespace {

TEST_F(StsStudy, TokensEqualTransformers) {
  const Json report = run("sts-tokens", {{"most", "10"}});
  EXPECT_EQ(report["removed"], Json::parse("[0,1,2,3,4,5,6,7,8,9,10]"));
  expect_near(report["spearman"], golden_["tokens"]["spearman"]);
  expect_near(report["pearson"], golden_["tokens"]["pearson"]);
  ASSERT_EQ(report["tokens"].size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(report["tokens"][i], golden_["tokens"]["tokens"][i]);
    EXPECT_EQ(report["counts"][i], golden_["tokens"]["counts"][i]);
  }
  const Json alone = run("sts", {{"drop_top", "7"}});
  EXPECT_EQ(report["spearman"][7], alone["spearman"]["all"]);
  EXPECT_EQ(report["spearman"][0], run("sts")["spearman"]["all"]);
}

TEST_F(StsStudy, WithoutAnyTokenNothingIsDefined) {
  const Json report = run("sts-tokens", {{"most", "1000"}, {"step", "10"}});
  const auto all = golden_["tokens"]["ids"].size();
  EXPECT_LE(report["removed"].back().get<size_t>(), all);
  EXPECT_TRUE(run("sts", {{"drop_top", std::to_string(all)}})["spearman"]["all"].is_null())
      << "every mean is 0, and so is every cosine";
}

}  // namespace
}  // namespace contrastive::eval
