#include "core/eval/correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/error.h"
#include "core/eval/undefined.h"

namespace contrastive::eval {
namespace {

// Tests for equality, not for a variance of 0: the mean of many equal numbers is not always exactly
// that number.
bool has_correlation(const std::vector<double>& values) {
  if (values.size() < 2) return false;
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  return finite &&
         std::any_of(values.begin(), values.end(), [&](double v) { return v != values[0]; });
}

// values - mean, divided by the largest deviation so that no square overflows or vanishes.
std::vector<double> centred(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double mean = 0;
  for (double v : values) mean += v / n;
  std::vector<double> result(values);
  double largest = 0;
  for (double& v : result) {
    v -= mean;
    largest = std::max(largest, std::abs(v));
  }
  for (double& v : result) v /= largest;
  return result;
}

}  // namespace

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  check(x.size() == y.size(), Status::kMismatch, "correlation of ", x.size(), " values with ",
        y.size());
  if (!has_correlation(x) || !has_correlation(y)) return kUndefined;
  const std::vector<double> a = centred(x), b = centred(y);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);  // from 1 to n each: no overflow
}

std::vector<double> average_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end + 1) / 2;  // mean of begin + 1 .. end
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  check(x.size() == y.size(), Status::kMismatch, "correlation of ", x.size(), " values with ",
        y.size());
  if (!has_correlation(x) || !has_correlation(y)) return kUndefined;
  return pearson(average_ranks(x), average_ranks(y));
}

}  // namespace contrastive::eval
