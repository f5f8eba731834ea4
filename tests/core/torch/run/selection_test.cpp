#include "core/torch/run/selection.h"
#include "tests/expect_error.h"

#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include <cmath>
#include <new>

namespace contrastive::run {
namespace {

tensors::TorchTensorMap weights(double value) { return {{"w", at::full({2}, value, at::kFloat)}}; }

void offer(Selection& selection, int64_t step, double value) {
  selection.offer(step, {{"dev", "spearman", "dev.tsv", value}},
                  [&] { return weights(static_cast<double>(step)); });
}

// The result of save(), with the config of a complete run.
TrainingState saved(const Selection& selection, const std::string& figure = "dev") {
  TrainingState state;
  state.fields["resolved_config"] = {{"dev_select", figure}};
  selection.save(state);
  return state;
}

TEST(Selection, KeepsTheBestWeightsAndTheirScores) {
  Selection selection{TrainOptions()};
  EXPECT_FALSE(selection.has_best());
  EXPECT_EQ(selection.evaluated_at(), -1);
  offer(selection, 2, 0.5);
  offer(selection, 4, 0.75);
  offer(selection, 6, 0.25);
  EXPECT_EQ(selection.best_step(), 4);
  EXPECT_TRUE(selection.best_weights().at("w").equal(weights(4).at("w")));
  EXPECT_EQ(selection.best_scores().all()[0].value, 0.75);
  EXPECT_EQ(selection.last_scores().all()[0].value, 0.25);
  EXPECT_EQ(selection.evaluated_at(), 6);
}

TEST(Selection, WeightsThatCannotBeCopiedWereNotOffered) {
  Selection selection{TrainOptions()};
  offer(selection, 2, 0.5);
  const auto no_memory = []() -> tensors::TorchTensorMap { throw std::bad_alloc(); };
  EXPECT_THROW(selection.offer(4, {{"dev", "spearman", "", 0.75}}, no_memory), std::bad_alloc);
  EXPECT_EQ(selection.best_step(), 2);
  offer(selection, 4, 0.75);
  EXPECT_EQ(selection.best_step(), 4);
}

TEST(Selection, OnlyItsFigureSelects) {
  TrainOptions options;
  options.dev_select = "sts.spearman.all";
  Selection selection(options);
  offer(selection, 2, 0.5);
  EXPECT_FALSE(selection.has_best());
  selection.offer(4, {{"sts.spearman.all", "spearman.all", "", 0.25}}, [] { return weights(4); });
  EXPECT_EQ(selection.best_step(), 4);
}

TEST(Selection, EndsTheRunWherePatienceDoes) {
  TrainOptions options;
  options.patience = 2;
  Selection selection(options);
  for (int64_t step = 1; step <= 3; ++step) {
    EXPECT_FALSE(selection.exhausted());
    offer(selection, step, step == 1 ? 0.5 : std::nan(""));
  }
  EXPECT_TRUE(selection.exhausted());
}

TEST(Selection, ComesBackFromASavedRun) {
  TrainOptions options;
  options.patience = 2;
  Selection selection(options), again(options);
  offer(selection, 2, 0.5);
  offer(selection, 4, 0.25);
  again.restore(saved(selection));
  EXPECT_EQ(saved(again).fields, saved(selection).fields);
  EXPECT_TRUE(again.best_weights().at("w").equal(weights(2).at("w")));
  Records records{MetricsFiles("", "", {})};
  again.report(records);
  again.report_last(records);
  EXPECT_EQ(records.value("best_dev"), 0.5);
  EXPECT_EQ(records.value("dev"), 0.25);
  offer(again, 6, 0.375);
  EXPECT_TRUE(again.exhausted());
}

TEST(Selection, BeginsAgainWhereAnotherFigureSelects) {
  Selection selection{TrainOptions()};
  offer(selection, 2, 0.5);
  TrainOptions options;
  options.dev_select = "sts.spearman.all";
  Selection other(options);
  other.restore(saved(selection));
  EXPECT_FALSE(other.has_best());
  EXPECT_EQ(other.evaluated_at(), -1);
  EXPECT_EQ(other.last_scores().step(), 2) << "the figures were still measured";
}

TEST(Selection, RefusesAStateWithoutItsFields) {
  TrainingState state = saved(Selection{TrainOptions()});
  state.fields.erase("early_stopping");
  Selection selection{TrainOptions()};
  expect_error(Status::kFormat, "early_stopping", [&] { selection.restore(state); });
}

}  // namespace
}  // namespace contrastive::run
