#include "core/torch/nn/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include "core/base/error.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/tensors/products.h"
#include "core/torch/nn/torch_activation.h"

namespace contrastive::nn {

at::Tensor run_dense(const std::vector<Dense>& layers, at::Tensor x) {
  if (!layers.empty()) tensors::settle_openmp();
  for (const Dense& layer : layers) {
    if (layer.normalizes) x = x / x.norm(2, {1}, true).clamp_min(1e-12);
    x = tensors::linear(x, layer.weight, layer.bias);
    if (layer.activation == "tanh") x = at::tanh(x);
    else if (layer.activation == "relu") x = activate(Activation::kRelu, x);
    else if (layer.activation == "gelu") x = activate(Activation::kGeluErf, x);
    else if (layer.activation == "sigmoid") x = at::sigmoid(x);
    else if (layer.activation == "silu") x = activate(Activation::kSilu, x);
    else if (layer.activation == "mish") x = activate(Activation::kMish, x);
    else
      check(layer.activation == "identity", Status::kUnsupported, "dense activation '",
            layer.activation, "': tanh, relu, gelu, sigmoid, silu, mish and identity are known");
  }
  return x;
}

}  // namespace contrastive::nn
