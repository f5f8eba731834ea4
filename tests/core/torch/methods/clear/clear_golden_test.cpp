// CLEAR, trainer and optimiser against a plain PyTorch program with the same weights and token ids
// (tests/golden/methods).
#include <gtest/gtest.h>

#include "core/torch/run/training_run.h"
#include "tests/golden/methods/clear_runs.h"
#include "tests/golden/methods/golden_run.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

class ClearGolden : public ::testing::TestWithParam<golden::Run> {};

TEST_P(ClearGolden, LossesAndWeightsAreThoseOfPyTorch) {
  const golden::Run& run = GetParam();
  model::LoadOptions options;
  options.pooling = "mean";
  const auto start =
      model::SentenceEncoder::load(fixtures() + "/models/" + run.model, on_test_device(options));
  run::TrainingRun trainer(start, nullptr, golden::config_of(run));
  std::vector<std::vector<data::Example>> batches;
  for (int64_t i = 0; i < golden::kUpdates; ++i) batches.push_back(golden::batch_of_update(i));
  expect_golden_run("clear", run.name, start, trainer, batches);
}

INSTANTIATE_TEST_SUITE_P(Runs, ClearGolden, ::testing::ValuesIn(golden::kRuns),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace contrastive
