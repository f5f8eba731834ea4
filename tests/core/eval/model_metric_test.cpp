#include "core/eval/model_metric.h"

#include <gtest/gtest.h>

#include "core/io/model_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

TEST(ModelMetric, IsTheModelsWhereNoneIsNamed) {
  io::ModelFolder folder = io::read_model_folder(fixtures() + "/models/bert_st");
  for (const auto& [name, metric] : retrieval::metric_names()) {
    folder.similarity = name;
    EXPECT_EQ(metric_for(ChosenMetric::kModel, model::SentenceEncoder(folder)), metric);
    EXPECT_EQ(metric_for(static_cast<ChosenMetric>(retrieval::Metric::kDot),
                         model::SentenceEncoder(folder)),
              retrieval::Metric::kDot);
  }
  EXPECT_EQ(metric_choices().size(), retrieval::metric_names().size() + 1);
  EXPECT_EQ(metric_choices().front().first, "model");
}

}  // namespace
}  // namespace contrastive::eval
