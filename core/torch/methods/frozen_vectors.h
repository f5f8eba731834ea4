// Vectors that a frozen model of another folder gives for the texts of a run: a guide's, a
// teacher's. Each distinct text is embedded once, and kept as CLSR keeps its frozen encoder's
// vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/torch/methods/embedding_cache.h"
#include "core/torch/methods/method.h"

namespace contrastive::methods {

// kArgument where `folder`, the value of config key `key`, is a reranker's, which no FrozenVectors
// can be made of. Loads nothing. `advice`: what to set.
void check_gives_vectors(const std::string& key, const std::string& folder,
                         const std::string& advice);

class FrozenVectors {
 public:
  // The model of `folder`, loaded to where the start model computes; the start model itself, as it
  // is now, where `folder` is "". Its errors name `key`. `normalize` as EncodeOptions has it.
  FrozenVectors(const std::string& key, const std::string& folder, const MethodContext& context,
                int normalize = -1);

  at::Tensor operator()(
      const std::vector<std::string_view>& texts,
      const Cancel* cancel = nullptr);  // [texts, dimension()] float32, on the CPU
  // Of the batch's first texts, second texts and hard negatives; of the columns that it has.
  std::vector<at::Tensor> columns(const data::Batch& batch, bool negatives);
  int64_t dimension() const { return cache_->dimension(); }
  const model::SentenceEncoder& model() const { return *model_; }

  // For the state of the method.
  MethodState save() const { return {cache_->save(), Json::object()}; }
  void load(const MethodState& state) { cache_->load(state.tensors); }

 private:
  std::shared_ptr<const model::SentenceEncoder> model_;
  std::unique_ptr<EmbeddingCache> cache_;
};

}  // namespace contrastive::methods
