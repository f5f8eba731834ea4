// Helpers of the suites over every registered method: the start model, the examples and the trainer
// of a row.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/tensors/tensors.h"
#include "core/model/cross_encoder.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/run/toy.h"
#include "tests/fixtures_folder.h"
#include "tests/methods_contract/modes.h"

namespace contrastive::methods {

inline std::shared_ptr<data::Dataset> labelled_pairs(int64_t n) {
  const auto plain = toy_pairs(n), data = data::make_dataset();
  for (int64_t i = 0; i < n; ++i) {
    data::Example example = plain->get(i);
    example.label = static_cast<double>(i % 3);
    for (int64_t k = 0; k < i % 3; ++k)
      example.negatives.push_back("not " + std::to_string(i) + " but " + std::to_string(k));
    data->add(example);
  }
  return data;
}

inline std::shared_ptr<data::Dataset> examples_of(const Mode& mode, int64_t n) {
  if (mode.examples == Examples::kAllKinds) return labelled_pairs(n);
  const auto pairs = toy_pairs(n), data = data::make_dataset();
  for (int64_t i = 0; i < n; ++i) {
    data::Example example = pairs->get(i);
    if (mode.examples == Examples::kClasses) {
      example.label = static_cast<double>(i % 3);
    } else if (mode.examples == Examples::kLists) {
      example.negatives = {pairs->get((i + 1) % n).b};
    } else if (mode.examples == Examples::kTriplets) {
      example.negatives = {pairs->get((i + 1) % n).b};
      example.label = static_cast<double>(i % 5) / 4 - 0.5;
    } else {
      example.b.clear();
      example.has_b = false;
    }
    data->add(example);
  }
  return data;
}

// BERT, or the folder of tests/fixtures/families that CONTRASTIVE_CONTRACT_FAMILY names.
inline io::ModelFolder start_folder() {
  const char* family = std::getenv("CONTRASTIVE_CONTRACT_FAMILY");
  if (family == nullptr) return io::read_model_folder(fixtures() + "/models/bert_st");
  io::ModelFolder folder = io::read_model_folder(fixtures() + "/families/" + family);
  folder.poolings = {"mean"};
  folder.normalize = true;
  return folder;
}

inline std::shared_ptr<model::SentenceEncoder> start_of(
    const Mode& mode, const model::LoadOptions& options = on_test_device()) {
  io::ModelFolder folder = start_folder();
  folder.normalize = folder.normalize && mode.normalized;
  return std::make_shared<model::SentenceEncoder>(std::move(folder), options);
}

// A head as wide as in its paper would take most of the time on a model this small.
inline Config narrow_head(const std::string& method) {
  Config config;
  for (const Json& row : find_method(method).describe({}).rows) {
    const std::string key = row.at("key");
    if (key == method + ".head_width") config.set_json(key, 24);
  }
  return config;
}

// The context for creating a method without a trainer.
inline Config method_config(const Mode& mode) {
  Config config = Config::parse(mode.keys);
  config.merge(narrow_head(mode.method));
  return config;
}

inline std::unique_ptr<run::TrainingRun> contract_trainer(
    const Mode& mode, const std::string& more, std::shared_ptr<model::SentenceEncoder> start,
    std::shared_ptr<const data::Dataset> data) {
  Config own = Config::parse(mode.keys);
  own.merge(Config::parse(more));
  Config config = toy_config(own.to_json().dump(), mode.method);
  config.merge(narrow_head(mode.method));
  return std::make_unique<run::TrainingRun>(std::move(start), std::move(data), config);
}

// The output of a trained model: vectors of three texts, or the scores of pairs of them.
inline std::vector<float> outputs_of(const std::shared_ptr<model::Model>& model) {
  const std::vector<std::string_view> texts = {"the first text", "another one", ""};
  std::vector<float> out;
  if (const auto encoder = model::sentence_encoder(model)) {
    out.resize(texts.size() * static_cast<size_t>(encoder->dimension()));
    encoder->encode(texts, {}, out.data());
  } else {
    const auto reranker = model::cross_encoder(model);
    out.resize(2 * static_cast<size_t>(reranker->label_count()));
    reranker->score({{texts[0], texts[1]}, {texts[1], texts[2]}}, {}, out.data());
  }
  return out;
}

// The folder of a model of the same kind as `like`.
inline std::shared_ptr<model::Model> load_like(const std::shared_ptr<model::Model>& like,
                                               const std::string& folder) {
  if (model::cross_encoder(like) != nullptr)
    return model::CrossEncoder::load(folder, on_test_device());
  return model::SentenceEncoder::load(folder, on_test_device());
}

// All its weights by name.
inline std::map<std::string, at::Tensor> weights_of(const model::Model& model) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : nn::trainable(model.encoder()).named_parameters())
    weights[name] = tensor.detach().clone();
  for (size_t i = 0; i < model.folder().dense.size(); ++i)
    weights["dense." + std::to_string(i)] = tensors::to_torch(model.folder().dense[i].weight);
  if (model.folder().classifier == nullptr) return weights;
  for (const auto& [name, tensor] : model.folder().classifier->weights)
    weights[name] = tensors::to_torch(tensor);
  return weights;
}

}  // namespace contrastive::methods
