// The squared distance of weights from their initial values: the regulariser of SG-OPT (Kim et al.,
// 2021, section 3.1), which keeps a tuned encoder near its start.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace contrastive::methods {

// The sum (not the mean) over all tensors of |weight - start|^2: a scalar, computed in float64 and
// rounded to the weights' type. The gradient is 2 (weight - start); no difference is kept in memory
// for it. `starts` take no gradient.
at::Tensor l2_anchor(const std::vector<at::Tensor>& weights, const std::vector<at::Tensor>& starts);

}  // namespace contrastive::methods
