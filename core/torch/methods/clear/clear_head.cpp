#include "core/torch/methods/clear/clear_head.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "core/base/rng.h"
#include "core/torch/tensors/products.h"
#include "core/torch/nn/torch_activation.h"

namespace contrastive::methods {
namespace {

constexpr double kNormEps = 1e-5;
constexpr uint64_t kHeadStream =
    2;  // the encoder and the head of the masked language model draw from 0 and 1

}  // namespace

ClearHead::ClearHead(const ClearHeadOptions& options, const c10::Device& device)
    : options_(options), device_(device) {
  if (options.kind == ClearHeadKind::kNone) return;
  const bool code = options.kind == ClearHeadKind::kCode;
  w1_ = random_matrix("head.0.weight", options.hidden, options.input);
  if (code) {
    b1_ = add("head.0.bias", at::zeros({options.hidden}));
    norm_weight_ = add("head.LayerNorm.weight", at::ones({options.hidden}));
    norm_bias_ = add("head.LayerNorm.bias", at::zeros({options.hidden}));
  }
  w2_ = random_matrix("head.1.weight", options.output, options.hidden);
  if (code) b2_ = add("head.1.bias", at::zeros({options.output}));
}

at::Tensor ClearHead::add(const std::string& name, at::Tensor tensor) {
  tensor = tensor.to(device_).set_requires_grad(true);
  parameters_.push_back({name, tensor, decays_by_name(name)});
  return tensor;
}

at::Tensor ClearHead::random_matrix(const std::string& name, int64_t out, int64_t in) {
  Rng rng(options_.seed, Purpose::kInitialise, kHeadStream, parameters_.size());
  at::Tensor matrix = at::empty({out, in}, at::kFloat);
  float* values = matrix.mutable_data_ptr<float>();
  for (int64_t i = 0; i < matrix.numel(); ++i)
    values[i] = static_cast<float>(options_.initializer_range * rng.normal());
  return add(name, std::move(matrix));
}

at::Tensor ClearHead::project(const at::Tensor& h) const {
  switch (options_.kind) {
    case ClearHeadKind::kNone: return h;
    case ClearHeadKind::kSimclrMlp:
      return tensors::linear(nn::activate(nn::Activation::kRelu, tensors::linear(h, w1_)), w2_);
    case ClearHeadKind::kCode: break;
  }
  const at::Tensor hidden =
      nn::activate(nn::Activation::kGeluErf, tensors::linear(h, w1_, b1_));  // [n, hidden]
  const at::Tensor z =
      tensors::linear(at::layer_norm(hidden, {options_.hidden}, norm_weight_, norm_bias_, kNormEps),
                      w2_, b2_);
  return options_.final_relu ? nn::activate(nn::Activation::kRelu, z) : z;
}

}  // namespace contrastive::methods
