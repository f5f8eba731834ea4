#include "core/objectives/in_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/objectives/ranked_rows.h"
#include "core/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

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

// One direction: every row looks for the column of its own number. Ids are there where equal texts are masked.
struct Direction {
  at::Tensor rows, columns;                      // [n, d], [n or more, d]
  at::Tensor row_ids, positive_ids, column_ids;  // int64 [n], [n], [columns]
  at::Tensor owners = {};                        // int64 [columns - n]: of the hard negatives, where these have a weight
  double hard_negative_weight = 1;

  // logits: [some rows, columns], of the rows from `first` on.
  void adjust(const at::Tensor& logits, int64_t first) const {
    const int64_t n = rows.size(0), count = logits.size(0);
    if (owners.defined()) {
      const at::Tensor row = at::arange(first, first + count, owners.options()).unsqueeze(1);
      const at::Tensor own = owners.unsqueeze(0).eq(row).to(logits.device(), logits.scalar_type());  // [count, columns - n]
      logits.narrow(1, n, own.size(1)).add_(own, std::log(hard_negative_weight));
    }
    if (!row_ids.defined()) return;
    // A column with the text of the row or of its positive that is not the positive itself.
    const auto equal = [&](const at::Tensor& ids) { return column_ids.unsqueeze(0).eq(ids.narrow(0, first, count).unsqueeze(1)); };
    const at::Tensor repeated = equal(row_ids).logical_or_(equal(positive_ids));
    repeated.diagonal(first).fill_(false);
    logits.masked_fill_(repeated.to(logits.device()), -std::numeric_limits<double>::infinity());
  }
  at::Tensor loss(double scale, double weight) const {
    const at::Tensor positives = at::arange(rows.size(0), rows.options().dtype(at::kLong));
    return ranked_rows_loss({rows, columns, positives, scale, weight, [this](const at::Tensor& logits, int64_t first) { adjust(logits, first); }});
  }
};

}  // namespace

at::Tensor in_batch_loss(const InBatchVectors& v, const InBatchOptions& options) {
  const int64_t m = v.negatives.defined() ? v.negatives.size(0) : 0, n = v.anchors.dim() == 2 ? v.anchors.size(0) : 0;
  check_vectors(v, options, m);
  const auto prepared = [&](const at::Tensor& x) { return options.similarity == Similarity::kCosine ? unit_rows(x) : at_least_float32(x); };
  Direction forward;
  forward.rows = prepared(v.anchors);
  forward.columns = prepared(m > 0 ? at::cat({v.positives, v.negatives}) : v.positives);
  if (m > 0 && options.hard_negative_weight != 1) {
    forward.owners = v.owners;
    forward.hard_negative_weight = options.hard_negative_weight;
  }
  if (options.false_negatives == FalseNegatives::kMask) {
    forward.row_ids = v.anchor_ids;
    forward.positive_ids = v.positive_ids;
    forward.column_ids = m > 0 ? at::cat({v.positive_ids, v.negative_ids}) : v.positive_ids;
  }
  const double mean = 1 / static_cast<double>(n);
  if (!options.symmetric) return forward.loss(options.scale, mean);
  const Direction backward{forward.columns.narrow(0, 0, n), forward.rows, forward.positive_ids, forward.row_ids, forward.row_ids};
  return forward.loss(options.scale, mean / 2) + backward.loss(options.scale, mean / 2);
}

}  // namespace contrastive::objectives
