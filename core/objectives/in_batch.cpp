#include "core/objectives/in_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/libtorch/products.h"
#include "core/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

void check_vectors(const InBatchVectors& v, const InBatchOptions& options, int64_t m) {
  check(v.anchors.dim() == 2 && v.anchors.sizes() == v.positives.sizes() && v.anchors.numel() > 0, Status::kMismatch,
        "in-batch InfoNCE needs an anchor and a positive of one width each, not ", v.anchors.sizes(), " and ", v.positives.sizes());
  if (m > 0) {
    check(v.negatives.dim() == 2 && v.negatives.size(1) == v.anchors.size(1), Status::kMismatch, "hard negatives of the shape ", v.negatives.sizes(),
          " do not fit anchors of the shape ", v.anchors.sizes());
    check(v.owners.defined() && v.owners.numel() == m, Status::kMismatch, "each of the ", m, " hard negatives needs its anchor");
  }
  check(options.hard_negative_weight > 0, Status::kArgument, "the weight of hard negatives must be above 0");
  if (options.false_negatives != FalseNegatives::kMask) return;
  const int64_t n = v.anchors.size(0);
  const bool known = v.anchor_ids.defined() && v.anchor_ids.numel() == n && v.positive_ids.defined() && v.positive_ids.numel() == n &&
                     (m == 0 || (v.negative_ids.defined() && v.negative_ids.numel() == m));
  check(known, Status::kArgument, "false_negatives 'mask' needs an id for every text");
}

// True where column k holds the text of row i or of i's positive, and is not i's positive itself. rows, positives: [n]; columns: [n + ...]
at::Tensor repeated(const at::Tensor& rows, const at::Tensor& positives, const at::Tensor& columns) {
  const at::Tensor here = columns.unsqueeze(0);
  const at::Tensor equal = here.eq(rows.unsqueeze(1)).logical_or(here.eq(positives.unsqueeze(1)));
  const at::Tensor positive = at::eye(rows.size(0), columns.size(0), equal.options());
  return equal.logical_and(positive.logical_not());
}

// Each row's positive stands on the diagonal: a scalar.
at::Tensor rank(const at::Tensor& logits, const at::Tensor& excluded) {
  const at::Tensor positives = logits.diagonal();
  return (at::logsumexp(excluded.defined() ? logits.masked_fill(excluded, kExcluded) : logits, 1) - positives).mean();
}

}  // namespace

at::Tensor in_batch_loss(const InBatchVectors& v, const InBatchOptions& options) {
  const int64_t m = v.negatives.defined() ? v.negatives.size(0) : 0, n = v.anchors.dim() == 2 ? v.anchors.size(0) : 0;
  check_vectors(v, options, m);
  const auto prepared = [&](const at::Tensor& x) { return options.similarity == Similarity::kCosine ? unit_rows(x) : at_least_float32(x); };
  const at::Tensor anchors = prepared(v.anchors);
  const at::Tensor candidates = prepared(m > 0 ? at::cat({v.positives, v.negatives}) : v.positives);
  at::Tensor logits = libtorch::product(anchors, candidates.t()) * options.scale;  // [n, n + m]
  if (m > 0 && options.hard_negative_weight != 1) {
    const at::Tensor row = at::arange(n, v.owners.options()).unsqueeze(1);
    const at::Tensor own = v.owners.unsqueeze(0).eq(row).to(logits.device(), logits.scalar_type());  // [n, m]
    logits = at::cat({logits.narrow(1, 0, n), logits.narrow(1, n, m) + own * std::log(options.hard_negative_weight)}, 1);
  }
  const bool mask = options.false_negatives == FalseNegatives::kMask;
  at::Tensor excluded;
  if (mask) {
    const at::Tensor columns = m > 0 ? at::cat({v.positive_ids, v.negative_ids}) : v.positive_ids;
    excluded = repeated(v.anchor_ids, v.positive_ids, columns).to(logits.device());
  }
  const at::Tensor forward = rank(logits, excluded);
  if (!options.symmetric) return forward;
  if (mask) excluded = repeated(v.positive_ids, v.anchor_ids, v.anchor_ids).to(logits.device());
  return (forward + rank(logits.narrow(1, 0, n).t(), excluded)) / 2;
}

}  // namespace contrastive::objectives
