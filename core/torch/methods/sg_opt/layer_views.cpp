#include "core/torch/methods/sg_opt/layer_views.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include "core/base/error.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/runtime/threads.h"

namespace contrastive::methods {

LayerViews::LayerViews(std::shared_ptr<model::SentenceEncoder> teacher, const std::string& pooling,
                       int64_t first, int64_t last)
    : teacher_(std::move(teacher)), modules_(nn::trainable(teacher_->encoder())) {
  const int64_t depth = teacher_->shape().num_hidden_layers;
  for (int64_t layer = first; layer <= last; ++layer)
    poolings_.push_back(encoder::parse_pooling(cat("layer:", layer, ":", pooling), depth));
}

at::Tensor LayerViews::operator()(const PackedViews& texts) const {
  const at::NoGradGuard no_grad;
  const encoder::PackedTokens tokens = texts.tokens();
  const at::Tensor pooled =
      at::empty({tokens.texts, layers(), teacher_->shape().hidden_size}, at::kFloat);
  const std::vector<const uint8_t*> keeps(poolings_.size(), texts.pooled());
  teacher_->encoder().infer(tokens, poolings_, keeps, pooled.mutable_data_ptr<float>(),
                            runtime::threads());
  return pooled.to(modules_.device());
}

at::Tensor LayerViews::with_dropout(const PackedViews& texts, uint64_t seed) const {
  const at::NoGradGuard no_grad;
  nn::Dropout dropout;
  dropout.hidden = teacher_->shape().hidden_dropout_prob;
  dropout.attention = teacher_->shape().attention_probs_dropout_prob;
  dropout.seed = seed;
  dropout.epoch = texts.epoch();
  dropout.examples = texts.streams();
  return pool(modules_.run_layers(modules_.embed(texts.tokens(), dropout), texts.tokens(), dropout),
              texts);
}

at::Tensor LayerViews::pool(const std::vector<at::Tensor>& states, const PackedViews& texts) const {
  std::vector<at::Tensor> layers;
  for (const encoder::Pooling& pooling : poolings_)
    layers.push_back(modules_.pool(pooling, states, texts.tokens(), texts.pooled()));
  return at::stack(layers, 1);
}

}  // namespace contrastive::methods
