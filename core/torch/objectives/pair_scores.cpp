#include "core/torch/objectives/pair_scores.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logcumsumexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

void check_pairs(const at::Tensor& a, const at::Tensor& b) {
  check(a.dim() == 2 && a.sizes() == b.sizes() && a.numel() > 0, Status::kMismatch,
        "pairs need vectors of one width each, not ", a.sizes(), " and ", b.sizes());
}

void check_scores(const at::Tensor& similarities, const at::Tensor& scores) {
  check(similarities.dim() == 1 && similarities.numel() > 0 &&
            similarities.sizes() == scores.sizes(),
        Status::kMismatch, "each of the ", similarities.sizes(),
        " similarities needs its score, not ", scores.sizes());
}

at::Tensor even_unit_rows(const at::Tensor& x) {
  const at::Tensor rows = unit_rows(x);
  return x.size(1) % 2 == 0 ? rows : at::constant_pad_nd(rows, {0, 1}, 0);
}

}  // namespace

at::Tensor pair_cosines(const at::Tensor& a, const at::Tensor& b) {
  check_pairs(a, b);
  return (unit_rows(a) * unit_rows(b)).sum(1);
}

at::Tensor pair_angles(const at::Tensor& a, const at::Tensor& b) {
  check_pairs(a, b);
  const at::Tensor x = even_unit_rows(a), y = even_unit_rows(b);
  const int64_t half = x.size(1) / 2;
  const auto first = [&](const at::Tensor& z) { return z.narrow(1, 0, half); };
  const auto last = [&](const at::Tensor& z) { return z.narrow(1, half, half); };
  return ((x * y).sum(1) + (last(x) * first(y) - first(x) * last(y)).sum(1)).abs();
}

at::Tensor cosent_loss(const at::Tensor& similarities, const at::Tensor& scores, double scale) {
  check_scores(similarities, scores);
  const auto [sorted, order] = at::sort(scores, std::optional<bool>(true), 0, false);
  const at::Tensor s =
      tensors::select_rows(at_least_float32(similarities), order.to(similarities.device())) * scale;
  // For each pair: the log of the sum of exp(-s) over the pairs from there on. Those of a higher
  // score begin after the last pair with an equal score.
  const at::Tensor behind = at::logcumsumexp((-s).flip(0), 0).flip(0);
  const at::Tensor none = at::full({1}, -std::numeric_limits<double>::infinity(), s.options());
  const at::Tensor higher = at::searchsorted(sorted, sorted, false, true).to(s.device());
  const at::Tensor sums = s + tensors::select_rows(at::cat({behind, none}), higher);
  return at::logsumexp(at::cat({at::zeros({1}, s.options()), sums}), 0);
}

at::Tensor score_squared_error(const at::Tensor& similarities, const at::Tensor& scores) {
  check_scores(similarities, scores);
  const at::Tensor s = at_least_float32(similarities);
  return (s - scores.to(s.device(), s.scalar_type())).square().mean();
}

}  // namespace contrastive::objectives
