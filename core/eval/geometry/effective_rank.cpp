#include "core/eval/geometry/effective_rank.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigvalsh.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kMaxSide = 16384;  // of the matrix whose eigenvalues are taken: 2 GB
constexpr int64_t kBlockRows = 2048;

// Rows [first, first + count) of x scaled to length 1; zero rows stay zero.
at::Tensor unit_rows(const float* x, int64_t first, int64_t count, int64_t d) {
  at::Tensor rows = at::empty({count, d}, at::kDouble);
  double* to = rows.mutable_data_ptr<double>();
  for (int64_t i = 0; i < count; ++i, to += d) {
    const float* row = x + (first + i) * d;
    double squares = 0;
    for (int64_t k = 0; k < d; ++k) squares += static_cast<double>(row[k]) * row[k];
    const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
    for (int64_t k = 0; k < d; ++k) to[k] = row[k] * scale;
  }
  return rows;
}

// The matrix whose eigenvalues are the squares of the singular values: the smaller one of X X^T and X^T X.
at::Tensor gram(const float* x, int64_t n, int64_t d, const Cancel* cancel) {
  if (n <= d) {
    const at::Tensor rows = unit_rows(x, 0, n, d);
    return at::matmul(rows, rows.t());
  }
  at::Tensor sum = at::zeros({d, d}, at::kDouble);
  for (int64_t first = 0; first < n; first += kBlockRows) {
    throw_if_cancelled(cancel);
    const at::Tensor rows = unit_rows(x, first, std::min(kBlockRows, n - first), d);
    sum += at::matmul(rows.t(), rows);
  }
  return sum;
}

}  // namespace

double effective_rank(const float* x, int64_t n, int64_t d, const Cancel* cancel) {
  check(n >= 0 && d >= 1, Status::kArgument, "points of shape [", n, ", ", d, "]");
  check(x != nullptr || n == 0, Status::kArgument, "points are NULL");
  (Size(n, "points") * d).at_most(int64_t{1} << 56);
  Size(std::min(n, d), "effective rank: the smaller one of points and dimensions").at_most(kMaxSide);
  if (n == 0) return 0;
  // LAPACK answers NaN with an error of its own, or not at all.
  if (!std::all_of(x, x + n * d, [](float value) { return std::isfinite(value); })) return std::numeric_limits<double>::quiet_NaN();
  const at::NoGradGuard no_grad;
  const at::Tensor eigenvalues = at::linalg_eigvalsh(gram(x, n, d, cancel));  // ascending
  const double* values = eigenvalues.const_data_ptr<double>();
  const int64_t count = eigenvalues.numel();
  // What is below the rounding of the largest is none: its square root would not be small.
  const double floor = values[count - 1] * std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(n, d));
  double sum = 0, entropy = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i] > floor ? std::sqrt(values[i]) : 0;
  if (!(sum > 0)) return 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!(values[i] > floor)) continue;
    const double share = std::sqrt(values[i]) / sum;
    entropy -= share * std::log(share);
  }
  return std::exp(entropy);
}

}  // namespace contrastive::eval
