// The squared distance of weights from where they began: the regulariser of SG-OPT (Kim et al.,
// 2021, section 3.1), which keeps a tuned encoder near the one it came from.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace contrastive::objectives {

// sum over all tensors of |weight - start|^2, summed, not averaged: a scalar in float64 precision,
// rounded to the weights' type. The gradient is 2 (weight - start); neither a root nor a difference
// is kept for it. `starts` take no gradient.
at::Tensor l2_anchor(const std::vector<at::Tensor>& weights, const std::vector<at::Tensor>& starts);

}  // namespace contrastive::objectives
