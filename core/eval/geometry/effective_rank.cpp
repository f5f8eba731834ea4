#include "core/eval/geometry/effective_rank.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kMaxSide = 16384;  // of the matrix whose eigenvalues are taken: 2 GB
constexpr int64_t kBlockRows = 2048;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows [first, first + count) of x scaled to length 1; zero rows stay zero.
Matrix unit_rows(const float* x, int64_t first, int64_t count, int64_t d) {
  Matrix rows =
      Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          x + first * d, count, d)
          .cast<double>();
  for (int64_t i = 0; i < count; ++i) {
    const double squares = rows.row(i).squaredNorm();
    if (squares > 0) rows.row(i) /= std::sqrt(squares);
  }
  return rows;
}

// The lower half of the matrix whose eigenvalues are the squares of the singular values: the
// smaller one of X X^T and X^T X.
Matrix gram(const float* x, int64_t n, int64_t d, const Cancel* cancel) {
  Matrix sum = Matrix::Zero(std::min(n, d), std::min(n, d));
  auto lower = sum.selfadjointView<Eigen::Lower>();
  if (n <= d) {
    lower.rankUpdate(unit_rows(x, 0, n, d));
    return sum;
  }
  for (int64_t first = 0; first < n; first += kBlockRows) {
    throw_if_cancelled(cancel);
    lower.rankUpdate(unit_rows(x, first, std::min(kBlockRows, n - first), d).transpose());
  }
  return sum;
}

}  // namespace

double effective_rank(const float* x, int64_t n, int64_t d, const Cancel* cancel) {
  check(n >= 0 && d >= 1, Status::kArgument, "points of shape [", n, ", ", d, "]");
  check(x != nullptr || n == 0, Status::kArgument, "points are NULL");
  (Size(n, "points") * d).at_most(int64_t{1} << 56);
  Size(std::min(n, d), "effective rank: the smaller one of points and dimensions")
      .at_most(kMaxSide);
  if (n == 0) return 0;
  if (!std::all_of(x, x + n * d, [](float value) { return std::isfinite(value); }))
    return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Matrix>(gram(x, n, d, cancel), Eigen::EigenvaluesOnly)
          .eigenvalues();  // ascending
  const int64_t count = values.size();
  // Values below the rounding error of the largest count as 0: their square roots would not be
  // small.
  const double floor = values[count - 1] * std::numeric_limits<double>::epsilon() *
                       static_cast<double>(std::max(n, d));
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
