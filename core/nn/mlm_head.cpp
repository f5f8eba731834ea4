#include "core/nn/mlm_head.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/libtorch/products.h"
#include "core/nn/activation.h"

namespace contrastive::nn {
namespace {

// An encoder of the same seed draws from epoch 0.
constexpr uint64_t kHeadStream = 1;

}  // namespace

MlmHead::MlmHead(const EncoderOptions& options, const std::map<std::string, at::Tensor>& weights) : options_(options) {
  at::Tensor* const places[] = {&transform_.weight, &transform_.bias, &norm_.weight, &norm_.bias, &bias_};
  size_t i = 0;
  for (const auto& [name, shape] : encoder::mlm_head_shapes(options)) {
    const auto found = weights.find(name);
    check(found != weights.end(), Status::kNotFound, "the tensor ", name, " of the masked language model is missing");
    check(found->second.sizes() == at::IntArrayRef(shape), Status::kMismatch, "tensor ", name, " has the shape ", found->second.sizes(),
          "; the configuration asks for ", at::IntArrayRef(shape));
    *places[i++] = found->second.contiguous();
  }
}

MlmHead MlmHead::random(const EncoderOptions& options, uint64_t seed) {
  std::map<std::string, at::Tensor> weights;
  const auto shapes = encoder::mlm_head_shapes(options);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& [name, shape] = shapes[i];
    at::Tensor tensor = i == 2 ? at::ones(shape, at::kFloat) : at::zeros(shape, at::kFloat);  // LayerNorm's weight
    if (i == 0) {
      Rng rng(seed, Purpose::kInitialise, kHeadStream);
      float* values = tensor.mutable_data_ptr<float>();
      for (int64_t k = 0; k < tensor.numel(); ++k) values[k] = static_cast<float>(options.initializer_range * rng.normal());
    }
    weights.emplace(name, std::move(tensor));
  }
  return MlmHead(options, weights);
}

at::Tensor MlmHead::logits(const at::Tensor& states, const at::Tensor& words) const {
  const Activation activation = options_.is_roberta() ? Activation::kGeluErf : options_.hidden_act;
  const at::Tensor x = activate(activation, libtorch::linear(states, transform_.weight, transform_.bias));  // [positions, hidden]
  const at::Tensor y = at::layer_norm(x, {options_.hidden_size}, norm_.weight, norm_.bias, options_.layer_norm_eps);
  return libtorch::linear(y, words, bias_);
}

std::vector<std::pair<std::string, at::Tensor>> MlmHead::named_parameters() const {
  const at::Tensor tensors[] = {transform_.weight, transform_.bias, norm_.weight, norm_.bias, bias_};
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (const auto& item : encoder::mlm_head_shapes(options_)) named.emplace_back(item.first, tensors[named.size()]);
  return named;
}

}  // namespace contrastive::nn
