// Rows scaled to length 1, for cosines. float16 and bfloat16 become float32 first, because a cosine
// divided by a small temperature has no resolution in 16 bits.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/objectives/nt_xent.h"

namespace contrastive::objectives {

inline at::Tensor at_least_float32(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
}
inline at::Tensor unit_rows(const at::Tensor& x) {
  return normalize_rows(at_least_float32(x));
}  // [n, d] -> [n, d]

}  // namespace contrastive::objectives
