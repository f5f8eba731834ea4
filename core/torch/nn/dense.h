// Dense modules behind pooling, as LibTorch's operations: any device, differentiable. What encode()
// runs is core/model/post_pooling.h; a test holds the two equal.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace contrastive::nn {

struct Dense {
  at::Tensor weight;        // [out, in]
  at::Tensor bias;          // [out] or undefined
  std::string activation;   // "tanh", "relu", "identity", "gelu", "sigmoid", "silu", "mish"
  bool normalizes = false;  // x is scaled to length 1 first
};

// y = activation(x W^T + b) for each layer in turn; x [n, in]. kUnsupported for an activation that
// is none of those.
at::Tensor run_dense(const std::vector<Dense>& layers, at::Tensor x);

}  // namespace contrastive::nn
