// Splits a parameter, its gradient and its optimiser state into stretches of elements, which the
// threads of the pool take. The stretches depend only on the number of elements.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/torch/tensors/row_blocks.h"

namespace contrastive::optim {

// How many stretches a parameter's tensor has.
inline int64_t stretches(const at::Tensor& parameter) {
  if (!parameter.is_contiguous() || parameter.numel() == 0) return 1;
  const at::Tensor flat = parameter.view({-1});
  const int64_t length = tensors::rows_of_a_block(flat);
  return (flat.numel() + length - 1) / length;
}

// Calls body(number, the stretch of each tensor) for every stretch, without a graph. The first
// tensor is the parameter, the second its gradient. Tensors after the second must be contiguous if
// the parameter is. The gradient may have another memory order, and must not be written to.
template <class Body>
void each_stretch(const std::vector<at::Tensor>& tensors, const Body& body) {
  if (stretches(tensors[0]) == 1) {
    const at::NoGradGuard no_grad;
    return body(int64_t{0}, tensors);
  }
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors) flat.push_back(tensor.contiguous().view({-1}));
  const int64_t length = tensors::rows_of_a_block(flat[0]);
  tensors::for_row_blocks(flat[0], [&](int64_t first, int64_t count) {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& tensor : flat) parts.push_back(tensor.narrow(0, first, count));
    body(first / length, parts);
  });
}

}  // namespace contrastive::optim
