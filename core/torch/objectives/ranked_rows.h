// Softmax cross entropy of rows against columns, for more similarities than fit in one matrix:
// NT-Xent and in-batch InfoNCE of large batches. Each block of rows is compared with all columns,
// and its part of the gradient is computed at the same time. Memory grows with the number of
// vectors, not of pairs. The price is one more matrix product if a gradient is needed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace contrastive::objectives {

struct RankedRows {
  at::Tensor rows,
      columns;  // [r, d] and [c, d] of one type, float32 or float64; both may be one tensor
  at::Tensor positives;  // int64 [r]: the column that each row must find
  double scale = 1;      // multiplies every product of a row and a column
  double weight = 1;     // multiplies every row's loss
  // Changes the logits of the rows from `first` on in place, [some rows, c], without a graph. A
  // column that is not a candidate of a row must become -infinity.
  std::function<void(const at::Tensor& logits, int64_t first)> adjust = {};
};

// Whether so many similarities are compared in blocks: above 16 MiB of float32.
bool too_many_similarities(int64_t rows, int64_t columns);

// weight * sum over the rows of (log sum over the candidates of exp(logit) - logit of the
// positive): a scalar, differentiable once in rows and columns.
at::Tensor ranked_rows_loss(const RankedRows& ranked);

}  // namespace contrastive::objectives
