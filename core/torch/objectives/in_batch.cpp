#include "core/torch/objectives/in_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/torch/tensors/products.h"
#include "core/torch/objectives/ranked_rows.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

constexpr double kLeftOut = -std::numeric_limits<double>::infinity();
constexpr double kGuideTie =
    1e-6;  // a text like the positive is no more similar than it: rounding does not decide

void check_vectors(const InBatchVectors& v, const InBatchOptions& options, int64_t m) {
  check(v.anchors.dim() == 2 && v.anchors.sizes() == v.positives.sizes() && v.anchors.numel() > 0,
        Status::kMismatch,
        "in-batch InfoNCE needs an anchor and a positive of one width each, not ",
        v.anchors.sizes(), " and ", v.positives.sizes());
  if (m > 0) {
    check(v.negatives.dim() == 2 && v.negatives.size(1) == v.anchors.size(1), Status::kMismatch,
          "hard negatives of the shape ", v.negatives.sizes(), " do not fit anchors of the shape ",
          v.anchors.sizes());
    check(v.owners.defined() && v.owners.numel() == m, Status::kMismatch, "each of the ", m,
          " hard negatives needs its anchor");
  }
  check(options.hard_negative_weight > 0, Status::kArgument,
        "the weight of hard negatives must be above 0");
  check(!options.symmetric || !options.further.any(), Status::kArgument,
        "a softmax for each direction does not go with further columns in one");
  const int64_t n = v.anchors.size(0);
  if (v.anchor_guides.defined()) {
    const bool fit = v.anchor_guides.dim() == 2 && v.anchor_guides.size(0) == n &&
                     v.anchor_guides.sizes() == v.positive_guides.sizes() &&
                     (m == 0 || (v.negative_guides.dim() == 2 && v.negative_guides.size(0) == m &&
                                 v.negative_guides.size(1) == v.anchor_guides.size(1)));
    check(fit, Status::kMismatch, "a guide's vectors need one of one width for every text");
  }
  if (options.false_negatives != FalseNegatives::kMask) return;
  const bool known = v.anchor_ids.defined() && v.anchor_ids.numel() == n &&
                     v.positive_ids.defined() && v.positive_ids.numel() == n &&
                     (m == 0 || (v.negative_ids.defined() && v.negative_ids.numel() == m));
  check(known, Status::kArgument, "false_negatives 'mask' needs an id for every text");
}

// What the loss needs of the texts of one kind: anchors, positives, or positives and hard
// negatives. Members that are not needed are undefined.
struct Texts {
  at::Tensor examples;  // int64: the example that each is of
  at::Tensor ids;       // int64: equal for equal texts
  at::Tensor guides;    // [texts, g] of length 1
};

// A range of the columns of a softmax: each row against texts of one kind.
struct Stretch {
  enum class Own {
    kCandidates,
    kPair,
    kLeftOut
  };  // texts of the row's own example: positive and hard negatives; the pair again; no candidates
  int64_t first = 0, count = 0;
  Texts texts;
  at::Tensor row_guides;  // [n, g] of what the rows are here: anchors or positives
  Own own = Own::kPair;
};

// One softmax: row i must find column i.
struct Direction {
  at::Tensor rows, columns;          // [n, d], [n or more, d]
  at::Tensor row_ids, positive_ids;  // int64 [n] where equal texts are masked
  at::Tensor limits;  // [n] above which the guide takes a candidate for a false negative
  std::vector<Stretch> stretches;  // that the columns are made of
  const InBatchOptions& options;

  // logits: [some rows, columns], of the rows from `first` on.
  void adjust(const at::Tensor& logits, int64_t first) const {
    for (const Stretch& stretch : stretches)
      adjust(logits.narrow(1, stretch.first, stretch.count), first, stretch);
  }

  void adjust(const at::Tensor& logits, int64_t first, const Stretch& stretch) const {
    const int64_t n = rows.size(0), count = logits.size(0);
    const auto on_device = [&](const at::Tensor& mask) { return mask.to(logits.device()); };
    at::Tensor own;  // [count, columns]: a text of the row's own example
    if (stretch.texts.examples.defined()) {
      const at::Tensor row =
          at::arange(first, first + count, stretch.texts.examples.options()).unsqueeze(1);
      own = stretch.texts.examples.unsqueeze(0).eq(row);
    }
    if (stretch.own == Stretch::Own::kCandidates) {
      if (options.hardness != Hardness::kNone) {
        logits.add_(logits * on_device(weighted(own, first, n)).to(logits.scalar_type()),
                    options.hardness_strength / options.scale);
      }
      if (options.hard_negative_weight != 1 && stretch.count > n) {
        const at::Tensor hard = own.narrow(1, n, stretch.count - n);
        logits.narrow(1, n, stretch.count - n)
            .add_(on_device(hard).to(logits.scalar_type()), std::log(options.hard_negative_weight));
      }
    }
    const auto leave_out = [&](at::Tensor mask) {
      if (stretch.own != Stretch::Own::kLeftOut)
        mask.diagonal(first).fill_(false);  // the pair itself stays
      logits.masked_fill_(on_device(mask), kLeftOut);
    };
    if (row_ids.defined()) {
      // A column with the text of the row or of its positive.
      const auto equal = [&](const at::Tensor& ids) {
        return stretch.texts.ids.unsqueeze(0).eq(ids.narrow(0, first, count).unsqueeze(1));
      };
      leave_out(equal(row_ids).logical_or_(equal(positive_ids)));
    }
    if (limits.defined()) {
      const at::Tensor similar =
          tensors::product(stretch.row_guides.narrow(0, first, count), stretch.texts.guides.t());
      leave_out(similar.gt(limits.narrow(0, first, count).unsqueeze(1) + kGuideTie));
    }
    if (stretch.own == Stretch::Own::kLeftOut) logits.masked_fill_(on_device(own), kLeftOut);
  }

  // [count, columns]: the candidates whose logit grows with their similarity.
  at::Tensor weighted(const at::Tensor& own, int64_t first, int64_t n) const {
    if (options.hardness == Hardness::kInBatch) return own.logical_not();
    at::Tensor mask =
        options.hardness == Hardness::kAll ? own.logical_not().logical_or_(own) : own.clone();
    if (options.hardness == Hardness::kAll) mask.diagonal(first).fill_(false);
    else mask.narrow(1, 0, n).fill_(false);
    return mask;
  }

  at::Tensor loss(double weight) const {
    const at::Tensor positives = at::arange(rows.size(0), rows.options().dtype(at::kLong));
    return ranked_rows_loss(
        {rows, columns, positives, options.scale, weight,
         [this](const at::Tensor& logits, int64_t first) { adjust(logits, first); }});
  }
};

// Rows with two halves, anchor and positive, used if further columns are compared with documents: a
// column is 0 in the half that it is not compared with.
at::Tensor in_first_half(const at::Tensor& x, bool halves) {
  return halves ? at::cat({x, at::zeros_like(x)}, 1) : x;
}
at::Tensor in_second_half(const at::Tensor& x) { return at::cat({at::zeros_like(x), x}, 1); }

}  // namespace

at::Tensor in_batch_loss(const InBatchVectors& v, const InBatchOptions& options) {
  const int64_t m = v.negatives.defined() ? v.negatives.size(0) : 0,
                n = v.anchors.dim() == 2 ? v.anchors.size(0) : 0;
  check_vectors(v, options, m);
  const auto prepared = [&](const at::Tensor& x) {
    return options.similarity == Similarity::kCosine ? unit_rows(x) : at_least_float32(x);
  };
  const auto with_negatives = [&](const at::Tensor& x, const at::Tensor& negatives) {
    return m > 0 ? at::cat({x, negatives}) : x;
  };
  const at::Tensor anchors = prepared(v.anchors),
                   documents = prepared(with_negatives(v.positives, v.negatives)),
                   positives = documents.narrow(0, 0, n);

  Texts queries, positive_texts, all;
  if (options.hard_negative_weight != 1 || options.hardness != Hardness::kNone ||
      options.further.any()) {
    queries.examples = positive_texts.examples = at::arange(n, at::kLong);
    all.examples = with_negatives(queries.examples, m > 0 ? v.owners.to(at::kCPU) : v.owners);
  }
  if (options.false_negatives == FalseNegatives::kMask) {
    queries.ids = v.anchor_ids;
    positive_texts.ids = v.positive_ids;
    all.ids = with_negatives(v.positive_ids, v.negative_ids);
  }
  at::Tensor limits;
  if (v.anchor_guides.defined()) {
    const at::NoGradGuard no_grad;
    queries.guides = unit_rows(v.anchor_guides.to(anchors.device()));
    all.guides =
        unit_rows(with_negatives(v.positive_guides, v.negative_guides).to(anchors.device()));
    positive_texts.guides = all.guides.narrow(0, 0, n);
    limits = (queries.guides * positive_texts.guides).sum(1);
    limits = limits - (options.relative_margin ? limits.abs() * options.guide_margin
                                               : at::zeros_like(limits) + options.guide_margin);
  }

  const FurtherColumns& further = options.further;
  const bool halves = further.of_documents();
  std::vector<at::Tensor> columns;
  Direction forward{halves ? at::cat({anchors, positives}, 1) : anchors,
                    {},
                    queries.ids,
                    positive_texts.ids,
                    limits,
                    {},
                    options};
  const auto add = [&](const at::Tensor& x, const Texts& texts, const Texts& rows,
                       Stretch::Own own) {
    const int64_t first = forward.stretches.empty()
                              ? 0
                              : forward.stretches.back().first + forward.stretches.back().count;
    columns.push_back(x);
    forward.stretches.push_back({first, x.size(0), texts, rows.guides, own});
  };
  add(in_first_half(documents, halves), all, queries, Stretch::Own::kCandidates);
  if (further.query_to_query)
    add(in_first_half(anchors, halves), queries, queries, Stretch::Own::kLeftOut);
  if (further.doc_to_query)
    add(in_second_half(anchors), queries, positive_texts, Stretch::Own::kPair);
  if (further.doc_to_doc)
    add(in_second_half(documents), all, positive_texts, Stretch::Own::kLeftOut);
  forward.columns = columns.size() == 1 ? columns[0] : at::cat(columns);
  const double mean = 1 / static_cast<double>(n);
  if (!options.symmetric) return forward.loss(mean);
  Direction backward{positives, anchors, positive_texts.ids, queries.ids, limits, {}, options};
  backward.stretches.push_back(
      {0, n, {{}, queries.ids, queries.guides}, positive_texts.guides, Stretch::Own::kPair});
  return forward.loss(mean / 2) + backward.loss(mean / 2);
}

}  // namespace contrastive::objectives
