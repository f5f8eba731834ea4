// Scores that a frozen cross-encoder, a teacher, gives for pairs of texts. Each distinct pair is
// scored once, and the scores are kept as FrozenVectors keeps vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/data/row_store.h"
#include "core/torch/methods/method.h"
#include "core/model/cross_encoder.h"

namespace contrastive::methods {

// Not thread-safe.
class FrozenScores {
 public:
  // Loads the reranker of `folder` to the device of the start model. kArgument if the reranker has
  // several labels. Errors name `key`.
  FrozenScores(const std::string& key, const std::string& folder, const MethodContext& context);

  at::Tensor operator()(const std::vector<model::TextPair>&
                            pairs);  // [pairs] float32, on the CPU: logits, before any activation

  // Saved with the state of the method, as in EmbeddingCache.
  MethodState save() const;
  void load(const MethodState& state);

 private:
  data::RowKey key(const model::TextPair& pair) const;
  void score_missing(const std::vector<model::TextPair>& pairs,
                     const std::vector<data::RowKey>& keys);

  std::shared_ptr<const model::CrossEncoder> model_;
  std::string key_prefix_;
  std::unique_ptr<data::RowStore> store_;
};

}  // namespace contrastive::methods
