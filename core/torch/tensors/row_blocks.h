// Runs LibTorch operators that treat every row separately on blocks of rows, which the threads of
// the pool take.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/torch/tensors/openmp.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::tensors {

// Rows of a block of x: a function of its shape only. All rows if x is small or not on the CPU.
inline int64_t rows_of_a_block(const at::Tensor& x) {
  constexpr int64_t kNumbers = int64_t{1} << 16;  // elements of a block
  const int64_t rows = std::max<int64_t>(1, x.size(0)),
                width = std::max<int64_t>(1, x.numel() / rows);
  return x.is_cpu() ? std::min(rows, std::max<int64_t>(1, kNumbers / width)) : rows;
}

// Runs body(first row, number of rows) for blocks that cover the rows of x, without a graph.
template <class Body>
void for_row_blocks(const at::Tensor& x, const Body& body) {
  const int64_t rows = x.size(0), block = rows_of_a_block(x);
  if (rows <= block) {
    const at::NoGradGuard no_grad;
    return body(int64_t{0}, rows);
  }
  runtime::parallel_for((rows + block - 1) / block, [&](int64_t i) {
    compute_with_one_thread();
    const at::NoGradGuard no_grad;
    body(i * block, std::min(block, rows - i * block));
  });
}

}  // namespace contrastive::tensors
