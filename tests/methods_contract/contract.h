// What the suites over every registered method have in common. The toy data are pairs with labels 0 to 2 and none to two hard negatives, so that methods
// of single texts, of pairs, of labelled pairs and of triplets all find what they need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/methods/registry.h"
#include "tests/core/train/toy.h"

namespace contrastive::methods {

inline std::shared_ptr<data::Dataset> labelled_pairs(int64_t n) {
  const auto plain = toy_pairs(n), data = data::make_dataset();
  for (int64_t i = 0; i < n; ++i) {
    data::Example example = plain->get(i);
    example.label = static_cast<double>(i % 3);
    for (int64_t k = 0; k < i % 3; ++k) example.negatives.push_back("not " + std::to_string(i) + " but " + std::to_string(k));
    data->add(example);
  }
  return data;
}

// A head as wide as its paper's would be nearly all of the work on a model this small.
inline Config narrow_head(const std::string& method) {
  Config config;
  for (const Json& row : find_method(method).describe({}).rows) {
    const std::string key = row.at("key");
    if (key == method + ".head_width") config.set_json(key, 24);
  }
  return config;
}

inline std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : all_methods()) names.push_back(entry.name);
  return names;
}

inline std::unique_ptr<train::Trainer> contract_trainer(const std::string& method, const std::string& more, std::shared_ptr<model::SentenceEncoder> start,
                                                        std::shared_ptr<const data::Dataset> data) {
  Config config = toy_config(more, method);
  config.merge(narrow_head(method));
  return std::make_unique<train::Trainer>(std::move(start), std::move(data), config);
}

}  // namespace contrastive::methods
