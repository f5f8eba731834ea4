// Dense modules after the pooling, as LibTorch operations: differentiable, on any device. encode()
// uses core/model/post_pooling.h instead; a test compares both.
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

// y = activation(x W^T + b) for each layer in turn; x [n, in]. kUnsupported for any other
// activation.
at::Tensor run_dense(const std::vector<Dense>& layers, at::Tensor x);

}  // namespace contrastive::nn
