// Helpers of the tests of methods: a method on the tiny model, batches made by the caller, and
// their loss.
#pragma once

#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/torch/methods/registry.h"
#include "tests/core/torch/methods/loss_terms.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {

// The context of a method on the tiny model, without config keys.
inline MethodContext tiny_context(const std::string& cache = "") {
  MethodContext context;
  context.start = tiny_model();
  context.cache_folder = cache;
  return context;
}

// A method that trains a sentence encoder.
inline std::unique_ptr<EncoderMethod> make_method(
    const std::string& name, const std::string& json = "{}",
    const std::shared_ptr<model::SentenceEncoder>& start = tiny_model(), uint64_t seed = 1) {
  MethodContext context;
  context.start = start;
  context.config = Config::parse(json);
  context.seed = seed;
  find_method(name).describe(context.config);
  return as_encoder_method(find_method(name).make(context));
}

// Single texts where b is empty.
inline data::Batch texts_batch(const std::vector<std::pair<std::string, std::string>>& texts,
                               bool pairs) {
  data::Batch batch;
  for (const auto& [a, b] : texts) {
    batch.indices.push_back(batch.size());
    data::Example example;
    example.a = a;
    example.b = b;
    example.has_b = pairs;
    batch.examples.push_back(example);
  }
  return batch;
}
inline data::Batch pairs_batch(const std::vector<std::pair<std::string, std::string>>& texts) {
  return texts_batch(texts, true);
}
inline data::Batch singles_batch(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string& text : texts) rows.emplace_back(text, "");
  return texts_batch(rows, false);
}

inline data::Batch some_pairs() {
  return pairs_batch({{"the cat sat on the mat", "a cat on a mat"},
                      {"a dog", "the old dog run"},
                      {"two birds fly", "birds"},
                      {"red green", "blue tree"}});
}
inline data::Batch some_texts() {
  return singles_batch(
      {"the cat sat on the mat", "a dog", "two birds fly over the old house", "red green"});
}

inline double loss_of(Method& method, const data::Batch& batch) {
  return loss_terms(method, batch).total().item<double>();
}
inline double loss_of(const std::string& name, const std::string& json, const data::Batch& batch) {
  return loss_of(*make_method(name, json), batch);
}

inline at::Tensor embedded(const model::SentenceEncoder& model,
                           const std::vector<std::string_view>& texts) {
  at::Tensor out = at::empty({static_cast<int64_t>(texts.size()), model.dimension()}, at::kFloat);
  model.encode(texts, {}, out.mutable_data_ptr<float>());
  return out;
}

inline at::Tensor embeddings(EncoderMethod& method, const std::vector<std::string_view>& texts) {
  at::Tensor out = at::empty({static_cast<int64_t>(texts.size()), method.dimension()}, at::kFloat);
  method.embed(texts, out.mutable_data_ptr<float>());
  return out;
}
inline at::Tensor delivered(EncoderMethod& method, const std::vector<std::string_view>& texts) {
  const auto encoder = method.deliver();
  model::EncodeOptions options;
  options.normalize = 0;
  at::Tensor out =
      at::empty({static_cast<int64_t>(texts.size()), encoder->dimension()}, at::kFloat);
  encoder->encode(texts, options, out.mutable_data_ptr<float>());
  return out;
}

}  // namespace contrastive::methods
