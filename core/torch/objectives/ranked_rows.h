// Softmax cross entropy of rows against columns whose similarities are too many to be kept as one
// matrix: NT-Xent and in-batch InfoNCE of large batches. A block of rows is compared with all
// columns, and its share of the gradient is made while its similarities are there. Memory grows
// with the vectors, not with their pairs; the price is one more product where a gradient is wanted.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace contrastive::objectives {

struct RankedRows {
  at::Tensor rows,
      columns;  // [r, d] and [c, d] of one type, float32 or float64; both may be one tensor
  at::Tensor positives;  // int64 [r]: the column that each row is to find
  double scale = 1;      // multiplies every product of a row and a column
  double weight = 1;     // multiplies every row's loss
  // Changes the logits of the rows from `first` on in place, [some rows, c], without a graph: a
  // column that is no candidate of a row becomes -infinity.
  std::function<void(const at::Tensor& logits, int64_t first)> adjust = {};
};

// Whether that many similarities are compared in blocks: above 16 MiB of float32.
bool too_many_similarities(int64_t rows, int64_t columns);

// weight * sum over the rows of (log sum over the candidates of exp(logit) - logit of the
// positive): a scalar, differentiable once in rows and columns.
at::Tensor ranked_rows_loss(const RankedRows& ranked);

}  // namespace contrastive::objectives
