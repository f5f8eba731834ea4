#include "core/torch/nn/mlm_head.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/torch/tensors/products.h"
#include "core/torch/nn/torch_activation.h"

namespace contrastive::nn {
namespace {

// An encoder with the same seed draws from epoch 0.
constexpr uint64_t kHeadStream = 1;

}  // namespace

MlmHead::MlmHead(const Architecture& architecture, const std::map<std::string, at::Tensor>& weights)
    : architecture_(architecture) {
  for (const auto& [name, shape] : encoder::mlm_head_shapes(architecture)) {
    const auto found = weights.find(name);
    check(found != weights.end(), Status::kNotFound, "the tensor ", name,
          " of the masked language model is missing");
    check(found->second.sizes() == at::IntArrayRef(shape), Status::kMismatch, "tensor ", name,
          " has the shape ", found->second.sizes(), "; the configuration requires ",
          at::IntArrayRef(shape));
    tensors_.push_back(found->second.contiguous());
  }
  // In the order of the shapes, with only the biases that exist.
  size_t next = 0;
  transform_.weight = tensors_[next++];
  if (architecture.mlm_dense_bias) transform_.bias = tensors_[next++];
  norm_.weight = tensors_[next++];
  if (architecture.norm_bias) norm_.bias = tensors_[next++];
  bias_ = tensors_[next];
}

MlmHead MlmHead::random(const Architecture& architecture, uint64_t seed) {
  std::map<std::string, at::Tensor> weights;
  const auto shapes = encoder::mlm_head_shapes(architecture);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& [name, shape] = shapes[i];
    const bool gain = name.find("LayerNorm.weight") != std::string::npos;
    at::Tensor tensor = gain ? at::ones(shape, at::kFloat) : at::zeros(shape, at::kFloat);
    if (i == 0) {
      Rng rng(seed, Purpose::kInitialise, kHeadStream);
      float* values = tensor.mutable_data_ptr<float>();
      for (int64_t k = 0; k < tensor.numel(); ++k)
        values[k] = static_cast<float>(architecture.initializer_range * rng.normal());
    }
    weights.emplace(name, std::move(tensor));
  }
  return MlmHead(architecture, weights);
}

at::Tensor MlmHead::logits(const at::Tensor& states, const at::Tensor& words) const {
  const at::Tensor x = activate(architecture_.mlm_act,
                                tensors::linear(states, transform_.weight,
                                                transform_.bias));  // [positions, table width]
  const at::Tensor y = at::layer_norm(x, {architecture_.table_width()}, norm_.weight, norm_.bias,
                                      architecture_.layer_norm_eps);
  return tensors::linear(y, words, bias_);
}

std::vector<std::pair<std::string, at::Tensor>> MlmHead::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (const auto& item : encoder::mlm_head_shapes(architecture_))
    named.emplace_back(item.first, tensors_[named.size()]);
  return named;
}

}  // namespace contrastive::nn
