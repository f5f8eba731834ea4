#include "core/retrieval/similarity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/cpu/kernels.h"
#include "core/retrieval/non_finite.h"
#include "core/retrieval/score_rows.h"
#include "core/retrieval/zero_rows.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::retrieval {
namespace {

constexpr int64_t kRowsPerItem =
    2048;  // long enough that packing the queries again for each item does not show

// Finite for finite vectors, because products of two floats stay far below the largest double; NaN
// or infinite for all others.
double cosine(const float* x, const float* y, int64_t d) {
  double xy = 0, xx = 0, yy = 0;
  for (int64_t k = 0; k < d; ++k) {
    const double a = x[k], b = y[k];
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  if (!std::isfinite(xy)) return xy;  // before the other vector is looked at, which may be zero
  return xx == 0 || yy == 0 ? 0 : std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double score_of(const float* x, const float* y, int64_t d, Metric metric) {
  if (metric == Metric::kCosine) return cosine(x, y, d);
  double sum = 0;
  for (int64_t k = 0; k < d; ++k) {
    const double a = x[k], b = y[k];
    sum += metric == Metric::kDot         ? a * b
           : metric == Metric::kEuclidean ? (a - b) * (a - b)
                                          : std::abs(a - b);
  }
  if (metric == Metric::kDot) return sum;
  return 0 - (metric == Metric::kEuclidean ? std::sqrt(sum)
                                           : sum);  // 0 -, so that no distance is 0 and not -0
}

// The largest float replaces everything beyond it.
float to_float(double x) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(x > kLargest ? kLargest : x < -kLargest ? -kLargest : x);
}

void check_input(const void* a, int64_t n_a, const void* b, int64_t n_b, int64_t d,
                 const void* scores) {
  check(n_a >= 0 && n_b >= 0, Status::kArgument, "similarity of ", n_a, " with ", n_b, " vectors");
  check(d >= 1, Status::kArgument, "dimension is ", d, ": at least 1 is needed");
  (Size(n_a, "vectors") * d).at_most(int64_t{1} << 60);
  (Size(n_b, "vectors") * d).at_most(int64_t{1} << 60);
  const int64_t n = Size(n_a, "scores").at_most(int64_t{1} << 60).value();
  (Size(n, "scores") * n_b).at_most(int64_t{1} << 60);
  check((a != nullptr || n_a == 0) && (b != nullptr || n_b == 0), Status::kArgument,
        "vectors are NULL");
  check(scores != nullptr || n_a == 0 || n_b == 0, Status::kArgument, "scores is NULL");
}

}  // namespace

const std::vector<std::pair<std::string, Metric>>& metric_names() {
  static const std::vector<std::pair<std::string, Metric>> names = {{"cosine", Metric::kCosine},
                                                                    {"dot", Metric::kDot},
                                                                    {"euclidean",
                                                                     Metric::kEuclidean},
                                                                    {"manhattan",
                                                                     Metric::kManhattan}};
  return names;
}

void similarity(const float* a, int64_t n_a, const float* b, int64_t n_b, int64_t d, Metric metric,
                float* scores) {
  check_input(a, n_a, b, n_b, d, scores);
  warn_of_zero_rows(a, n_a, b, n_b, d, metric);
  const int64_t block =
      panels_per_pass(d) * 2 * cpu::kernels().scores->lanes;  // rows of a that are packed together
  const int64_t a_blocks = (n_a + block - 1) / block,
                b_blocks = (n_b + kRowsPerItem - 1) / kRowsPerItem;
  const auto score_block = [&](int64_t item) {
    const int64_t first = item / b_blocks * block, begin = item % b_blocks * kRowsPerItem;
    const float* queries = a + first * d;
    const QueryPanels panels(queries, std::min(block, n_a - first), d, metric);
    const std::vector<float> thresholds(
        panels.padded(),
        std::numeric_limits<float>::infinity());  // only what needs repair is interesting
    const int64_t end = std::min(begin + kRowsPerItem, n_b);
    score_rows({queries, panels, b, d, metric, thresholds.data()}, 0, panels.count(), begin, end,
               [&](const Tile& tile) {
                 for (int64_t lane = 0; lane < tile.queries; ++lane) {
                   float* to = scores + (first + tile.first_query + lane) * n_b + tile.first_row;
                   for (int64_t i = 0; i < tile.rows; ++i)
                     to[i] = tile.scores[i * tile.lanes + lane];
                 }
               });
  };
  naming_non_finite({a, n_a, "a"}, {b, n_b, "b"}, d,
                    [&] { runtime::parallel_for(a_blocks * b_blocks, score_block); });
}

void pairwise_similarity(const float* a, const float* b, int64_t n, int64_t d, Metric metric,
                         float* scores) {
  check_input(a, n, b, 1, d, scores);
  warn_of_zero_rows(a, n, b, n, d, metric);
  for (int64_t i = 0; i < n; ++i) {
    const double score = score_of(a + i * d, b + i * d, d, metric);
    check(std::isfinite(score), Status::kNumeric, "pair ", i, " has a vector with NaN or infinity");
    scores[i] = to_float(score);
  }
}

}  // namespace contrastive::retrieval
