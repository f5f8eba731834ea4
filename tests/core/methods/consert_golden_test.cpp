// ConSERT, trainer and optimiser against a plain PyTorch program that was handed the same weights and augmentations: tests/golden/methods.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "core/io/tensor_reader.h"
#include "core/train/trainer.h"
#include "tests/golden/methods/consert_runs.h"
#include "tests/test_device.h"

namespace contrastive {
namespace {

class ConsertGolden : public ::testing::TestWithParam<golden::Run> {};

TEST_P(ConsertGolden, LossesAndWeightsAreThoseOfPyTorch) {
  const golden::Run& run = GetParam();
  const io::TensorMap golden = io::read_safetensors(CONTRASTIVE_FIXTURES "/../golden/methods/consert.golden.safetensors");
  const auto read = [&](const std::string& name) {
    const auto found = golden.find(std::string(run.name) + "/" + name);
    return found == golden.end() ? at::Tensor() : found->second.to(at::kDouble);
  };
  model::LoadOptions options;
  options.pooling = "mean";
  const auto start = model::SentenceEncoder::load(std::string(CONTRASTIVE_FIXTURES) + "/models/" + run.model, on_test_device(options));
  train::Trainer trainer(start, nullptr, golden::config_of(run));
  const at::Tensor losses = read("losses");
  ASSERT_EQ(losses.numel(), golden::kUpdates);
  for (int64_t i = 0; i < golden::kUpdates; ++i) {
    ASSERT_EQ(trainer.step_batch(golden::batch_of_update(run, i)), Status::kOk);
    const double expected = losses[i].item<double>();
    EXPECT_NEAR(trainer.metric("loss"), expected, 1e-5 * expected) << "update " << i;
  }
  EXPECT_GT((losses[0] - losses[golden::kUpdates - 1]).abs().item<double>(), 1e-3) << "the run changed nothing";
  int compared = 0;
  for (const auto& [name, tensor] : trainer.trained(false)->encoder().named_parameters()) {
    const at::Tensor expected = read(name);
    if (!expected.defined()) continue;  // the pooler, which does not train
    EXPECT_LT((tensor.detach().to(at::kCPU, at::kDouble) - expected).abs().max().item<double>(), 1e-5) << name;
    ++compared;
  }
  EXPECT_GE(compared, 21);
}

INSTANTIATE_TEST_SUITE_P(Runs, ConsertGolden, ::testing::ValuesIn(golden::kRuns), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace contrastive
