// Poolings on LibTorch tensors: differentiable, on any device. The definitions are those of
// core/encoder/pooling.h; a test compares both.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// encoder::reduce_tokens for tensors: states [tokens, hidden] -> [texts, hidden].
at::Tensor reduce_tokens(Reduce reduce, const at::Tensor& states,
                         const std::vector<int64_t>& offsets, const uint8_t* keep);

}  // namespace contrastive::nn
