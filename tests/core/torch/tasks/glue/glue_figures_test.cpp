#include "core/torch/tasks/glue/glue_figures.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/eval/correlation.h"
#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

GlueSet targets(std::vector<double> values) {
  GlueSet set;
  set.first.resize(values.size());
  set.targets = std::move(values);
  return set;
}

// One-hot logits of the predicted classes.
at::Tensor predicted(const std::vector<int>& classes, int64_t outputs) {
  std::vector<float> logits(classes.size() * static_cast<size_t>(outputs), -1.5f);
  for (size_t i = 0; i < classes.size(); ++i)
    logits[i * static_cast<size_t>(outputs) + static_cast<size_t>(classes[i])] = 0.5f;
  return at::tensor(logits).view({-1, outputs});
}

GlueFigures figures_of(const char* task, const GlueSet& set, const at::Tensor& outputs) {
  return glue_figures(find_glue_definition(task), {set}, {outputs}, MnliScore::kMean);
}

std::map<std::string, double> values_of(const GlueFigures& figures) {
  return {figures.values.begin(), figures.values.end()};
}

// Counts by hand: true positives 3, false positives 1, false negatives 2, true negatives 4.
const std::vector<double> kGold = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
const std::vector<int> kGuess = {1, 1, 1, 0, 0, 1, 0, 0, 0, 0};

TEST(GlueFigures, WhatPredictionsThatAreAllAlikeGiveSelectsNothing) {
  const GlueSet gold = targets({0, 1, 1, 0});
  const GlueFigures alike = figures_of("CoLA", gold, predicted({1, 1, 1, 1}, 2));
  EXPECT_EQ(alike.score, 0) << "scikit-learn's";
  EXPECT_FALSE(alike.defined);
  EXPECT_TRUE(std::isnan(alike.select()));
  const GlueFigures wrong = figures_of("CoLA", gold, predicted({1, 0, 0, 1}, 2));
  EXPECT_TRUE(wrong.defined);
  EXPECT_DOUBLE_EQ(wrong.select(), -1);
  EXPECT_FALSE(
      figures_of("STS-B", gold, at::tensor({1.0f, 1.0f, 1.0f, 1.0f}).view({4, 1})).defined);
  EXPECT_TRUE(figures_of("SST-2", gold, predicted({1, 1, 1, 1}, 2)).defined)
      << "an accuracy is one";
}

TEST(GlueFigures, EachTaskReportsItsOwn) {
  const GlueSet gold = targets(kGold);
  const at::Tensor guess = predicted(kGuess, 2);
  for (const char* task : {"SST-2", "QNLI", "RTE", "WNLI"}) {
    const GlueFigures figures = figures_of(task, gold, guess);
    EXPECT_EQ(values_of(figures), (std::map<std::string, double>{{"accuracy", 0.7}})) << task;
    EXPECT_DOUBLE_EQ(figures.score, 0.7) << task;
  }
  for (const char* task : {"MRPC", "QQP"}) {
    auto figures = values_of(figures_of(task, gold, guess));
    EXPECT_DOUBLE_EQ(figures["accuracy"], 0.7) << task;
    EXPECT_DOUBLE_EQ(figures["f1"], 6.0 / 9) << task;
    EXPECT_DOUBLE_EQ(figures_of(task, gold, guess).score, (0.7 + 6.0 / 9) / 2) << task;
  }
  const double matthews = (3 * 4 - 1 * 2) / std::sqrt(4.0 * 5 * 5 * 6);
  EXPECT_NEAR(figures_of("CoLA", gold, guess).score, matthews, 1e-12);
  EXPECT_NEAR(values_of(figures_of("CoLA", gold, guess))["matthews"], matthews, 1e-12);
}

TEST(GlueFigures, StsBCorrelatesTheRawScore) {
  const GlueSet gold = targets({0.5, 1, 2, 4.5, 5});
  const at::Tensor scores = at::tensor({0.0f, 1.0f, 0.5f, 3.0f, 9.0f}).view({5, 1});
  auto figures = values_of(figures_of("STS-B", gold, scores));
  EXPECT_DOUBLE_EQ(figures["pearson"], pearson({0, 1, 0.5, 3, 9}, gold.targets));
  EXPECT_DOUBLE_EQ(figures["spearman"], 0.9);
  EXPECT_DOUBLE_EQ(figures_of("STS-B", gold, scores).score, (figures["pearson"] + 0.9) / 2);
  EXPECT_TRUE(std::isnan(
      figures_of("STS-B", gold, at::tensor({1.0f, 1.0f, 1.0f, 1.0f, 1.0f}).view({5, 1})).score));
}

TEST(GlueFigures, MnliHasTwoSets) {
  const std::vector<GlueSet> sets = {targets({0, 1, 2, 2}), targets({2, 1})};
  const std::vector<at::Tensor> outputs = {predicted({0, 1, 2, 0}, 3), predicted({2, 2}, 3)};
  const GlueDefinition& mnli = find_glue_definition("MNLI");
  const GlueFigures mean = glue_figures(mnli, sets, outputs, MnliScore::kMean);
  EXPECT_EQ(values_of(mean), (std::map<std::string, double>{{"accuracy_matched", 0.75},
                                                            {"accuracy_mismatched", 0.5}}));
  EXPECT_DOUBLE_EQ(mean.score, 0.625);
  EXPECT_DOUBLE_EQ(glue_figures(mnli, sets, outputs, MnliScore::kMatched).score, 0.75);
}

}  // namespace
}  // namespace contrastive::eval
