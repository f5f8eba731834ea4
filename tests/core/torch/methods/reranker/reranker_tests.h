// Continues training a reranker; lists of documents for it.
#pragma once

#include <memory>
#include <string>

#include "core/model/cross_encoder.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {

inline std::string reranker_folder(const char* name = "bert") {
  return fixtures() + "/rerankers/" + name;
}

// A method that starts from a reranker's folder.
inline std::unique_ptr<Method> further(const std::string& json, const char* name = "bert") {
  const auto reranker = model::CrossEncoder::load(reranker_folder(name), on_test_device());
  MethodContext context;
  context.start = reranker->body();
  context.head = reranker->folder().classifier;
  context.config = Config::parse(json);
  find_method("reranker").describe(context.config);
  return find_method("reranker").make(context);
}

inline data::Batch some_lists() {
  data::Batch batch = some_pairs();
  for (data::Example& example : batch.examples)
    example.negatives = {example.b + " closed", "the house"};
  batch.examples[1].negatives.pop_back();
  return batch;
}

}  // namespace contrastive::methods
