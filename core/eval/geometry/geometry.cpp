#include "core/eval/geometry/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/eval/geometry/squared_distance.h"
#include "core/eval/undefined.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kBlock =
    64;  // rows: two blocks of 64 x 1024 doubles stay in the second-level cache

void check_points(const float* x, int64_t n, int64_t d) {
  check(n >= 0 && d >= 1, Status::kArgument, "points of shape [", n, ", ", d, "]");
  check(x != nullptr || n == 0, Status::kArgument, "points are NULL");
  (Size(n, "points") * d).at_most(int64_t{1} << 56);
}

// Rows [first, first + count) of x, normalised: [count, d].
void unit_rows(const float* x, int64_t first, int64_t count, int64_t d, std::vector<double>& to) {
  to.resize(count * d);
  for (int64_t i = 0; i < count; ++i) {
    const float* row = x + (first + i) * d;
    double squares = 0;
    for (int64_t k = 0; k < d; ++k) squares += static_cast<double>(row[k]) * row[k];
    const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
    for (int64_t k = 0; k < d; ++k) to[i * d + k] = row[k] * scale;
  }
}

// log(sum of exp), kept as the largest exponent and the sum relative to it, so that no t makes
// everything vanish.
struct LogSum {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void add(double exponent, double weight = 1) {
    if (exponent > largest) {
      sum = sum * std::exp(largest - exponent) + weight;
      largest = exponent;
    } else {
      sum += weight * std::exp(exponent - largest);
    }
  }
};

// One block row of pairs: block `index` with itself and with every later one.
LogSum pairs_from_block(const float* x, int64_t n, int64_t d, double t, int64_t index,
                        const Cancel* cancel) {
  LogSum total;
  std::vector<double> mine, other;
  const int64_t begin = index * kBlock, count = std::min(kBlock, n - begin);
  unit_rows(x, begin, count, d, mine);
  for (int64_t first = begin; first < n; first += kBlock) {
    throw_if_cancelled(cancel);
    const int64_t others = std::min(kBlock, n - first);
    unit_rows(x, first, others, d, other);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = first == begin ? i + 1 : 0; j < others; ++j)
        total.add(-t * squared_distance(&mine[i * d], &other[j * d], d));
    }
  }
  return total;
}

}  // namespace

double alignment(const float* x, const float* y, int64_t n, int64_t d, double alpha) {
  check_points(x, n, d);
  check_points(y, n, d);
  check(alpha > 0, Status::kArgument, "alpha is ", alpha, ": above 0 is needed");
  std::vector<double> a, b;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    unit_rows(x, i, 1, d, a);
    unit_rows(y, i, 1, d, b);
    sum += std::pow(squared_distance(a.data(), b.data(), d), alpha / 2);
  }
  return n == 0 ? kUndefined : sum / static_cast<double>(n);
}

double uniformity(const float* x, int64_t n, int64_t d, double t, const Cancel* cancel) {
  check_points(x, n, d);
  check(t > 0, Status::kArgument, "t is ", t, ": above 0 is needed");
  if (n < 2) return kUndefined;
  std::vector<LogSum> parts((n + kBlock - 1) / kBlock);
  runtime::parallel_for(static_cast<int64_t>(parts.size()),
                        [&](int64_t i) { parts[i] = pairs_from_block(x, n, d, t, i, cancel); });
  LogSum total;  // joined in order: the same for every thread count
  for (const LogSum& part : parts) {
    if (part.sum != 0)
      total.add(part.largest, part.sum);  // NaN stays; a part without a pair has a sum of 0
  }
  const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  return total.largest + std::log(total.sum / pairs);
}

double mean_cosine(const float* x, int64_t n, int64_t d) {
  check_points(x, n, d);
  if (n < 2) return kUndefined;
  // sum over i != j of x_i . x_j = |sum of x|^2 - sum of |x_i|^2
  std::vector<double> sum(d), row;
  double own = 0, all = 0;
  for (int64_t i = 0; i < n; ++i) {
    unit_rows(x, i, 1, d, row);
    for (int64_t k = 0; k < d; ++k) {
      sum[k] += row[k];
      own += row[k] * row[k];
    }
  }
  for (double s : sum) all += s * s;
  return (all - own) / (static_cast<double>(n) * static_cast<double>(n - 1));
}

}  // namespace contrastive::eval
