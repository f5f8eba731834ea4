// CLEAR, trainer and optimiser against a plain PyTorch program that was handed the same weights and token ids: tests/golden/methods.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "core/train/trainer.h"
#include "tests/golden/methods/clear_runs.h"
#include "tests/test_device.h"

namespace contrastive {
namespace {

class ClearGolden : public ::testing::TestWithParam<golden::Run> {};

void expect_weight(const Json& expected, const at::Tensor& tensor, const std::string& name) {
  // A softmax does not see what all of a query's keys have in common: the gradient of their bias is rounding and nothing else, which Adam magnifies.
  const double near = name.find("self.key.bias") == std::string::npos ? 1e-5 : 1e-3;
  const at::Tensor flat = tensor.detach().to(at::kDouble).reshape({-1});
  EXPECT_NEAR(flat.norm().item<double>(), expected.at("norm").get<double>(), near * std::max(1.0, expected.at("norm").get<double>())) << name;
  const int64_t stride = expected.at("stride");
  for (size_t i = 0; i < expected.at("values").size(); ++i) {
    EXPECT_NEAR(flat[static_cast<int64_t>(i) * stride].item<double>(), expected.at("values")[i].get<double>(), near) << name << " " << i;
  }
}

TEST_P(ClearGolden, LossesAndWeightsAreThoseOfPyTorch) {
  const golden::Run& run = GetParam();
  const Json golden = read_json_file(CONTRASTIVE_FIXTURES "/../golden/methods/clear.json").at("cases").at(run.name);
  model::LoadOptions options;
  options.pooling = "mean";
  const auto start = model::SentenceEncoder::load(std::string(CONTRASTIVE_FIXTURES) + "/models/" + run.model, on_test_device(options));
  train::Trainer trainer(start, nullptr, golden::config_of(run));
  ASSERT_EQ(golden.at("losses").size(), static_cast<size_t>(golden::kUpdates));
  for (int64_t i = 0; i < golden::kUpdates; ++i) {
    ASSERT_EQ(trainer.step_batch(golden::batch_of_update(i)), Status::kOk);
    const double expected = golden.at("losses")[static_cast<size_t>(i)];
    EXPECT_NEAR(trainer.metric("loss"), expected, 1e-5 * expected) << "update " << i;
  }
  const auto trained = trainer.trained(false);
  size_t compared = 0;
  for (const auto& [name, tensor] : trained->encoder().named_parameters()) {
    if (!golden.at("weights").contains(name)) continue;  // the pooler, which does not train
    expect_weight(golden.at("weights").at(name), tensor, name);
    ++compared;
  }
  for (const auto& [name, tensor] : trained->folder().mlm_head) {
    expect_weight(golden.at("weights").at(name), tensor, name);
    ++compared;
  }
  EXPECT_EQ(compared, golden.at("weights").size());
}

INSTANTIATE_TEST_SUITE_P(Runs, ClearGolden, ::testing::ValuesIn(golden::kRuns), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace contrastive
