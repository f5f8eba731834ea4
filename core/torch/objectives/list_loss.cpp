#include "core/torch/objectives/list_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log2.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

constexpr double kAbsentLogit = -1e16;  // after the end of a list: its softmax is 0
constexpr double kLeast = 1e-10;        // sentence-transformers' eps
constexpr double kNdcgLoss2Share = 10;  // its mu

// The lists as the rows of matrices [lists, longest].
struct Rows {
  at::Tensor logits;  // with their graph
  at::Tensor labels;  // -infinity where there is no document
};

Rows rows_of(const ScoredLists& lists) {
  check(lists.logits.dim() == 1 && lists.logits.sizes() == lists.labels.sizes() &&
            !lists.lengths.empty(),
        Status::kMismatch, "each of the ", lists.logits.sizes(), " logits needs its label, not ",
        lists.labels.sizes());
  const int64_t longest = *std::max_element(lists.lengths.begin(), lists.lengths.end());
  std::vector<int64_t> places;
  for (size_t row = 0; row < lists.lengths.size(); ++row) {
    check(lists.lengths[row] >= 1, Status::kMismatch, "list ", row, " is empty");
    for (int64_t i = 0; i < lists.lengths[row]; ++i)
      places.push_back(static_cast<int64_t>(row) * longest + i);
  }
  const auto count = static_cast<int64_t>(lists.lengths.size());
  check(static_cast<int64_t>(places.size()) == lists.logits.size(0), Status::kMismatch, "lists of ",
        places.size(), " documents have ", lists.logits.size(0), " logits");
  const at::Tensor z = at_least_float32(lists.logits),
                   at = at::tensor(places, at::kLong).to(z.device());
  const auto spread = [&](const at::Tensor& values, double absent) {
    return at::full({count * longest}, absent, z.options())
        .index_put({at}, values)
        .view({count, longest});
  };
  return {spread(z, kAbsentLogit), spread(lists.labels.to(z.device(), z.scalar_type()),
                                          -std::numeric_limits<double>::infinity())};
}

// [lists, n, n]: the value of i minus the value of j.
at::Tensor differences(const at::Tensor& rows) { return rows.unsqueeze(2) - rows.unsqueeze(1); }

// `gains` [lists, n] of the documents in their order, `discounts` [n].
at::Tensor pair_weights(LambdaWeights weights, const at::Tensor& gains,
                        const at::Tensor& discounts) {
  const at::Tensor gain = differences(gains).abs();
  const at::Tensor rank = differences(discounts.reciprocal().unsqueeze(0)).abs();
  if (weights == LambdaWeights::kLambdaRank) return rank * gain;
  const int64_t n = discounts.size(0);
  const at::Tensor places = at::arange(n, at::TensorOptions(at::kLong).device(discounts.device()));
  const at::Tensor apart = (places.unsqueeze(1) - places.unsqueeze(0)).abs();
  const at::Tensor inverse = discounts.reciprocal();
  // Documents at a distance of k places count as those of the ranks k and k + 1; a document with
  // itself counts nothing.
  const at::Tensor before = inverse.index({(apart - 1).clamp(0)}), behind = inverse.index({apart});
  const at::Tensor distance = (before - behind).abs().masked_fill(apart.eq(0), 0).unsqueeze(0);
  const at::Tensor second = distance * gain;
  return weights == LambdaWeights::kNdcgLoss2 ? second : second * kNdcgLoss2Share + rank * gain;
}

}  // namespace

at::Tensor list_cross_entropy(const ScoredLists& lists, ListTarget target) {
  const Rows rows = rows_of(lists);
  at::Tensor targets;
  if (target == ListTarget::kSoftmax) {
    targets = at::softmax(rows.labels, 1);
  } else {
    const at::Tensor labels = rows.labels.masked_fill(at::isfinite(rows.labels).logical_not(), 0);
    const at::Tensor sums = labels.sum(1, true);
    check(labels.ge(0).all().item<bool>() && sums.gt(0).all().item<bool>(), Status::kArgument,
          "the labels of a list must not be below 0, and one of them must be above");
    targets = labels / sums;
  }
  return -(targets * at::log_softmax(rows.logits, 1)).sum(1).mean();
}

at::Tensor lambda_loss(const ScoredLists& lists, LambdaWeights weights, int64_t top) {
  const Rows rows = rows_of(lists);
  const int64_t n = rows.logits.size(1), first = top > 0 ? std::min(top, n) : n;
  const auto [logits, order] = at::sort(rows.logits, std::optional<bool>(true), 1, true);
  const at::Tensor labels = rows.labels.gather(1, order),
                   ideal = std::get<0>(at::sort(rows.labels, 1, true));
  const at::Tensor apart = differences(labels);
  const at::Tensor places = at::arange(n, at::TensorOptions(at::kLong).device(logits.device())),
                   among = places.lt(first);
  const at::Tensor compared = at::isfinite(apart)
                                  .logical_and(apart.gt(0))
                                  .logical_and(among.unsqueeze(1).logical_or(among.unsqueeze(0)));
  if (!compared.any().item<bool>()) return rows.logits.sum() * 0;
  at::Tensor powers;
  if (weights != LambdaWeights::kNone) {
    const at::Tensor discounts = at::log2(places.to(logits.scalar_type()) + 2);
    const auto gains_of = [](const at::Tensor& of) { return at::pow(2.0, of.clamp(0)) - 1; };
    const at::Tensor best =
        (gains_of(ideal) / discounts).narrow(1, 0, first).sum(1, true).clamp(kLeast);
    powers = pair_weights(weights, gains_of(labels) / best, discounts);
  }
  at::Tensor losses = at::log_sigmoid(differences(logits).clamp(-1e8, 1e8));
  if (powers.defined()) losses = powers * losses;
  return -losses.masked_select(compared).mean() / std::log(2.0);
}

}  // namespace contrastive::objectives
