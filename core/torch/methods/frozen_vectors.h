// Vectors that a frozen model from another folder, a guide or a teacher, gives for the texts of a
// run. Each distinct text is embedded once, and the vectors are kept as CLSR keeps those of its
// frozen encoder.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/torch/methods/embedding_cache.h"
#include "core/torch/methods/method.h"

namespace contrastive::methods {

// kArgument if `folder`, the value of config key `key`, contains a reranker, which gives no
// vectors. Does not load the model. `advice`: what to set instead.
void check_gives_vectors(const std::string& key, const std::string& folder,
                         const std::string& advice);

class FrozenVectors {
 public:
  // Loads the model of `folder` to the device of the start model. If `folder` is "", uses the start
  // model as it is now. Errors name `key`. `normalize` is that of EncodeOptions.
  FrozenVectors(const std::string& key, const std::string& folder, const MethodContext& context,
                int normalize = -1);

  at::Tensor operator()(
      const std::vector<std::string_view>& texts,
      const Cancel* cancel = nullptr);  // [texts, dimension()] float32, on the CPU
  // The vectors of the batch's first texts, second texts and hard negatives, as far as the batch
  // has them.
  std::vector<at::Tensor> columns(const data::Batch& batch, bool negatives);
  int64_t dimension() const { return cache_->dimension(); }
  const model::SentenceEncoder& model() const { return *model_; }

  // Saved with the state of the method.
  MethodState save() const { return {cache_->save(), Json::object()}; }
  void load(const MethodState& state) { cache_->load(state.tensors); }

 private:
  std::shared_ptr<const model::SentenceEncoder> model_;
  std::unique_ptr<EmbeddingCache> cache_;
};

}  // namespace contrastive::methods
