#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/sts/study_tests.h"

namespace contrastive::eval {
namespace {

TEST_F(StsStudy, LayersEqualTransformers) {
  const Json report = run("sts-layers");
  EXPECT_EQ(report["layers"], 2);
  for (const char* figure : {"spearman", "pearson"}) {
    for (const char* pooling : {"cls", "mean", "max"}) {
      SCOPED_TRACE(std::string(figure) + " " + pooling);
      expect_near(report[figure][pooling], golden_["layers"][figure][pooling]);
    }
  }
  EXPECT_TRUE(report["spearman"]["cls"][0].is_null())
      << "below the first layer the first token is the same in every text";
  EXPECT_EQ(report["best"]["layer"], 0);
  EXPECT_EQ(report["best"]["pooling"], "mean");
}

TEST_F(StsStudy, EachLayerEqualsARunOfItsOwn) {
  const Json report = run("sts-layers", {{"poolings", "[\"max\", \"cls\"]"}});
  EXPECT_FALSE(report["spearman"].contains("mean"));
  for (const char* pooling : {"max", "cls"}) {
    for (int layer = 1; layer <= 2; ++layer) {
      const Json alone =
          run("sts", {{"encode.pooling", "layer:" + std::to_string(layer) + ":" + pooling}});
      EXPECT_EQ(report["spearman"][pooling][static_cast<size_t>(layer)], alone["spearman"]["all"])
          << pooling << layer;
      EXPECT_EQ(report["pearson"][pooling][static_cast<size_t>(layer)], alone["pearson"]["all"])
          << pooling << layer;
    }
  }
}

}  // namespace
}  // namespace contrastive::eval
