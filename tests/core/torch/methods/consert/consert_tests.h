// ConSERT on the tiny model, and batches for it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/methods/consert/consert.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {

inline std::unique_ptr<EncoderMethod> make(
    const std::string& json, const std::shared_ptr<model::SentenceEncoder>& start = tiny_model()) {
  MethodContext context;
  context.start = start;
  context.config = Config::parse(json);
  describe_consert(context.config);
  return as_encoder_method(make_consert(context));
}

inline data::Batch batch_of(const std::vector<std::string>& texts, int64_t first_index = 0) {
  data::Batch batch;
  for (const std::string& text : texts) {
    batch.indices.push_back(first_index + batch.size());
    batch.examples.push_back({});
    batch.examples.back().a = text;
  }
  return batch;
}

inline data::Batch pairs_of(const std::vector<std::pair<std::string, std::string>>& pairs,
                            double label = 1) {
  data::Batch batch;
  for (const auto& [a, b] : pairs) {
    batch.indices.push_back(batch.size());
    batch.examples.push_back({a, b, true, label});
  }
  return batch;
}

inline const std::vector<std::string> kTexts = {"the old cat sat on the mat", "a small bird",
                                                "two new houses and a tree", "run"};

inline const data::Batch kPairs = pairs_of({{"the old cat sat on the mat", "a small bird"},
                                            {"two new houses", "the child plays guitar"},
                                            {"run", "water"}});

}  // namespace contrastive::methods
