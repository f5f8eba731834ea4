// Holds a run of the library to what a plain PyTorch program of this folder computed: the same tiny start, the same batches, the same dropout masks or
// none, 20 updates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/core/train/toy.h"

namespace contrastive {

inline Json golden_file(const std::string& name) {
  return read_json_file(std::string(CONTRASTIVE_FIXTURES) + "/../golden/methods/" + name + ".json");
}

// Row `i` of a column of texts, where `batch` has it.
inline std::vector<data::Example> golden_batch(const Json& batch, bool pairs, bool negatives) {
  std::vector<data::Example> examples;
  for (size_t i = 0; i < batch.at("a").size(); ++i) {
    data::Example example;
    example.a = batch.at("a").at(i).get<std::string>();
    example.has_b = pairs;
    if (pairs) example.b = batch.at("b").at(i).get<std::string>();
    if (negatives) example.negatives = batch.at("negatives").at(i).get<std::vector<std::string>>();
    examples.push_back(example);
  }
  return examples;
}

inline void expect_weight(const at::Tensor& weight, const Json& expected, const std::string& name) {
  // No loss depends on a key's bias: it adds one constant to all keys of a query, which softmax cancels. Its gradient is rounding, which Adam scales.
  const bool rounding = name.find("key.bias") != std::string::npos;
  const double tolerance = rounding ? 1e-4 : 1e-5;
  const at::Tensor flat = weight.detach().cpu().contiguous().view({-1});
  const float* values = flat.const_data_ptr<float>();
  double squares = 0;
  for (int64_t i = 0; i < flat.numel(); ++i) squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  EXPECT_NEAR(std::sqrt(squares), expected.at("norm").get<double>(), tolerance * std::max(1.0, expected.at("norm").get<double>())) << name;
  const auto stride = expected.at("stride").get<int64_t>();
  for (size_t k = 0; k < expected.at("values").size(); ++k) {
    EXPECT_NEAR(values[static_cast<int64_t>(k) * stride], expected.at("values").at(k).get<double>(), tolerance) << name << " " << k;
  }
}

// The losses of a run alone, to 1e-5 relative; what it delivers.
inline std::shared_ptr<model::SentenceEncoder> expect_golden_losses(const Json& batches, const Json& run, bool pairs, bool negatives,
                                                                    const std::shared_ptr<model::SentenceEncoder>& start = tiny_model()) {
  train::Trainer trainer(start, nullptr, Config::parse(run.at("config").dump()));
  for (size_t step = 0; step < batches.size(); ++step) {
    EXPECT_EQ(trainer.step_batch(golden_batch(batches.at(step), pairs, negatives)), Status::kOk);
    const double expected = run.at("losses").at(step).get<double>();
    EXPECT_NEAR(trainer.metric("loss"), expected, 1e-5 * expected) << "update " << step;
  }
  return trainer.trained(false);
}

// Losses to 1e-5 relative, final weights to 1e-5 (and relative to a norm above 1).
inline void expect_golden_run(const Json& batches, const Json& run, bool pairs, bool negatives,
                              const std::shared_ptr<model::SentenceEncoder>& start = tiny_model()) {
  const auto trained = expect_golden_losses(batches, run, pairs, negatives, start);
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : trained->encoder().named_parameters()) weights[name] = tensor;
  ASSERT_GE(run.at("weights").size(), 30u);
  for (const auto& [name, expected] : run.at("weights").items()) expect_weight(weights.at(name), expected, name);
  if (!run.contains("dense_weights")) return;
  expect_weight(trained->folder().dense.at(0).weight, run.at("dense_weights").at("dense.0.weight"), "dense.0.weight");
  expect_weight(trained->folder().dense.at(0).bias, run.at("dense_weights").at("dense.0.bias"), "dense.0.bias");
}

}  // namespace contrastive
