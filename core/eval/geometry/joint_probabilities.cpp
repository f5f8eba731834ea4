#include "core/eval/geometry/joint_probabilities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/eval/geometry/squared_distance.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::eval {
namespace {

constexpr double kTolerance = 1e-9;  // of the entropy
constexpr int kMostSteps = 200;
constexpr int64_t kTile = 64;

// Replaces the squared distances of one point to the others by probabilities whose entropy is
// `entropy` nats. row[self] becomes 0.
void to_probabilities(double* row, int64_t n, int64_t self, double entropy) {
  row[self] = std::numeric_limits<double>::infinity();
  const double nearest = *std::min_element(
      row, row + n);  // subtracted, so that the largest exponent is 0 and the sum at least 1
  double precision = 1, low = 0, high = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0, weighted = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == self) continue;
      const double distance = row[j] - nearest, weight = std::exp(-precision * distance);
      sum += weight;
      weighted += weight * distance;
    }
    const double excess = std::log(sum) + precision * weighted / sum - entropy;
    if (std::abs(excess) < kTolerance) break;
    (excess > 0 ? low : high) = precision;  // too wide a Gaussian has too much entropy
    const double next = std::isinf(high) ? precision * 2 : (low + high) / 2;
    if (next == precision || std::isinf(next)) break;
    precision = next;
  }
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    row[j] = j == self ? 0 : std::exp(-precision * (row[j] - nearest));
    sum += row[j];
  }
  for (int64_t j = 0; j < n; ++j) row[j] /= sum;
}

// p <- (p + its transpose) / 2n, tile by tile. One piece of work handles a tile and its mirror
// image.
void symmetrise(std::vector<double>& p, int64_t n) {
  const int64_t tiles = (n + kTile - 1) / kTile;
  const double scale = 1 / (2 * static_cast<double>(n));
  runtime::parallel_for(tiles, [&](int64_t tile) {
    for (int64_t other = 0; other <= tile; ++other) {
      for (int64_t i = tile * kTile; i < std::min(n, (tile + 1) * kTile); ++i) {
        for (int64_t j = other * kTile; j < std::min(i, (other + 1) * kTile); ++j) {
          p[i * n + j] = p[j * n + i] = (p[i * n + j] + p[j * n + i]) * scale;
        }
      }
    }
  });
}

}  // namespace

std::vector<double> joint_probabilities(const float* x, int64_t n, int64_t d, double perplexity,
                                        const Cancel* cancel) {
  check(n >= 2 && d >= 1 && x != nullptr, Status::kArgument,
        "joint probabilities of points of shape [", n, ", ", d, "]");
  check(perplexity >= 1 && perplexity <= static_cast<double>(n - 1), Status::kArgument,
        "perplexity is ", perplexity, ": from 1 to ", n - 1, " is allowed for ", n, " points");
  const std::vector<double> points(x, x + (Size(n, "points") * d).value());
  for (int64_t i = 0; i < n * d; ++i)
    check(std::isfinite(x[i]), Status::kNumeric, "vector ", i / d, " is not finite");
  std::vector<double> p((Size(n, "probabilities") * n).bytes());
  runtime::parallel_for(n, [&](int64_t i) {
    throw_if_cancelled(cancel);
    double* row = &p[i * n];
    for (int64_t j = 0; j < n; ++j) row[j] = squared_distance(&points[i * d], &points[j * d], d);
    to_probabilities(row, n, i, std::log(perplexity));
  });
  symmetrise(p, n);
  return p;
}

}  // namespace contrastive::eval
