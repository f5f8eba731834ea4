// Compares 20 updates of the library with those of a plain PyTorch program of this folder, which
// had the same start, batches, augmentations and dropout masks.
#pragma once

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_reader.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/run/training_state.h"
#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive {

inline Json golden_file(const std::string& name) {
  return read_json_file(fixtures() + "/../golden/methods/" + name + ".json");
}

// The batches of a golden file, with the columns that a run uses.
inline std::vector<std::vector<data::Example>> golden_batches(const Json& file, bool pairs,
                                                              bool negatives) {
  std::vector<std::vector<data::Example>> batches;
  for (const Json& batch : file.at("batches")) {
    batches.emplace_back(batch.at("a").size());
    for (size_t i = 0; i < batches.back().size(); ++i) {
      data::Example& example = batches.back()[i];
      example.a = batch.at("a").at(i).get<std::string>();
      example.has_b = pairs;
      if (pairs) example.b = batch.at("b").at(i).get<std::string>();
      if (batch.contains("teacher"))
        example.scores = batch.at("teacher").at(i).get<std::vector<double>>();
      if (batch.contains("scores")) example.label = batch.at("scores").at(i).get<double>();
      if (negatives)
        example.negatives = batch.at("negatives").at(i).get<std::vector<std::string>>();
    }
  }
  return batches;
}

inline Config golden_config(const Json& run) { return Config::parse(run.at("config").dump()); }

// All trained weights after the run, including heads that are not saved with the model, from the
// state that the trainer saves.
inline tensors::TorchTensorMap weights_of(const run::TrainingRun& trainer) {
  const TemporaryFolder folder;
  trainer.save(folder / "run");
  tensors::TorchTensorMap weights;
  for (const auto& [name, tensor] : run::read_training_state(folder / "run").tensors) {
    if (name.rfind("weight.", 0) == 0) weights[name.substr(7)] = tensor;
  }
  return weights;
}

// Compares every entry of every weight with METHOD.golden.safetensors, to 1e-5.
inline void expect_golden_weights(const std::string& method, const std::string& run,
                                  const tensors::TorchTensorMap& weights) {
  const tensors::TorchTensorMap golden = tensors::to_torch(
      io::read_safetensors(fixtures() + "/../golden/methods/" + method + ".golden.safetensors"));
  size_t expected = 0;
  for (const auto& [name, tensor] : golden) expected += name.rfind(run + "/", 0) == 0 ? 1 : 0;
  EXPECT_EQ(weights.size(), expected)
      << "PyTorch trained parameters that the library does not have";
  for (const auto& [name, tensor] : weights) {
    const auto found = golden.find(run + "/" + name);
    ASSERT_NE(found, golden.end()) << name;
    ASSERT_EQ(tensor.sizes(), found->second.sizes()) << name;
    // No loss depends on the bias of keys: it adds one constant to all keys of a query, which
    // softmax cancels. Its gradient is only rounding error, which Adam scales up. The same is true
    // for list losses and the bias of a reranker's score.
    const bool cancelled = name.find("key.bias") != std::string::npos ||
                           (method == "reranker" && name == "classifier.out_proj.bias");
    const double tolerance = !cancelled ? 1e-5 : method == "clear" ? 1e-3 : 1e-4;
    EXPECT_LT((tensor.to(at::kDouble) - found->second.to(at::kDouble)).abs().max().item<double>(),
              tolerance)
        << name;
  }
}

// The saved model has the trained weights, bit for bit, without the rows of the method's own
// tokens, and the untrained weights unchanged.
inline void expect_delivered(const model::Model& delivered, const model::Model& start,
                             const tensors::TorchTensorMap& weights) {
  std::map<std::string, at::Tensor> before;
  for (const auto& [name, tensor] : nn::trainable(start.encoder()).named_parameters())
    before[name] = tensor.detach().cpu();
  size_t compared = 0;
  const auto compare = [&](const std::string& name, const at::Tensor& tensor) {
    const auto trained = weights.find(name);
    const at::Tensor now = tensor.detach().cpu();
    if (trained == weights.end()) {
      EXPECT_TRUE(now.equal(before.at(name))) << name << " is frozen";
      return;
    }
    const bool words = name == "embeddings.word_embeddings.weight";
    EXPECT_TRUE(now.equal(words ? trained->second.narrow(0, 0, now.size(0)) : trained->second))
        << name;
    if (before.count(name) > 0 && name.find("key.bias") == std::string::npos) {
      EXPECT_GT((now - before[name]).abs().max().item<double>(), 1e-4)
          << name << " has not changed: nothing was compared";
    }
    ++compared;
  };
  for (const auto& [name, tensor] : nn::trainable(delivered.encoder()).named_parameters())
    compare(name, tensor);
  for (const auto& [name, tensor] : tensors::to_torch(delivered.folder().mlm_head))
    compare(name, tensor);
  for (size_t i = 0; i < delivered.folder().dense.size(); ++i) {
    const auto& dense = delivered.folder().dense[i];
    // A method's own map is merged into the weights.
    if (weights.count(cat("dense.", i, ".weight")) == 0) continue;
    compare(cat("dense.", i, ".weight"), tensors::to_torch(dense.weight));
    compare(cat("dense.", i, ".bias"), tensors::to_torch(dense.bias));
  }
  // Without one, a trained classifier belongs to the loss.
  const bool head = delivered.folder().classifier != nullptr;
  if (head) {
    for (const auto& [name, tensor] : tensors::to_torch(delivered.folder().classifier->weights))
      compare(name, tensor);
  }
  size_t expected = 0;
  for (const auto& [name, tensor] : weights) {
    expected += before.count(name) > 0 || (head && name.rfind("classifier.", 0) == 0) ||
                        name.rfind("cls.", 0) == 0 || name.rfind("dense.", 0) == 0
                    ? 1
                    : 0;
  }
  EXPECT_EQ(compared, expected) << "all trained weights are saved, except the heads of losses";
}

// Trains, and compares the run with that of the same name in a method's golden file: losses to 1e-5
// relative, or to 1e-8 if training has brought them near zero, because the squares of margins lose
// digits there; all final weights to 1e-5.
inline void expect_golden_run(const std::string& method, const std::string& run,
                              const std::shared_ptr<model::Model>& start, run::TrainingRun& trainer,
                              const std::vector<std::vector<data::Example>>& batches) {
  const Json losses = golden_file(method).at("cases").at(run).at("losses");
  ASSERT_EQ(losses.size(), batches.size());
  for (size_t i = 0; i < batches.size(); ++i) {
    ASSERT_EQ(trainer.step_batch(batches[i]), Status::kOk);
    const double expected = losses[i].get<double>();
    EXPECT_NEAR(trainer.metric("loss"), expected, 1e-5 * std::max(expected, 1e-3))
        << "update " << i;
  }
  const tensors::TorchTensorMap weights = weights_of(trainer);
  expect_golden_weights(method, run, weights);
  expect_delivered(*trainer.result(false), *start, weights);
}

}  // namespace contrastive
