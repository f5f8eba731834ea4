// Exact t-SNE (van der Maaten and Hinton, JMLR 2008): places vectors in a plane so that similar
// vectors are near each other. The defaults are scikit-learn's (core/eval/geometry/README.md 2).
// Distances are Euclidean, on the vectors as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/options.h"

namespace contrastive::eval {

constexpr int64_t kMaxTsnePoints =
    5000;  // 200 MB of probabilities, and time that grows with the square as well

struct TsneOptions {
  double perplexity = 30;
  int64_t iterations = 1000;
  int64_t exaggerated = 250;
  double exaggeration = 12;
  double learning_rate = 0;

  void visit(OptionVisitor& v);
};

struct TsneResult {
  std::vector<double> x, y;  // the positions of the points
  double kl = 0;             // the remaining Kullback-Leibler divergence, in nats
  double perplexity = 0;     // the perplexity that was used
};

// x: [n, d], 4 to kMaxTsnePoints rows (kArgument, kLimit). A perplexity above (n - 1) / 3 is
// reduced to that, with a warning. Starts from the two principal components, scaled to a standard
// deviation of 1e-4, and uses no random numbers: the same vectors give the same positions with any
// number of threads. Equal vectors get the same position. kNumeric for NaN or infinity.
TsneResult tsne(const float* x, int64_t n, int64_t d, const TsneOptions& options,
                const Cancel* cancel = nullptr);

// The steps of the above, for tests and for other descents.

// The start of the descent. The largest loading of each component is positive. All zero if the
// vectors are equal.
void principal_start(const float* points, int64_t n, int64_t d, std::vector<double>& x,
                     std::vector<double>& y);

// KL(P || Q) with Q[i, j] proportional to 1 / (1 + |y_i - y_j|^2); p: joint_probabilities, [n, n].
double kl_divergence(const std::vector<double>& p, const std::vector<double>& x,
                     const std::vector<double>& y);

// Its gradient, with P multiplied by `exaggeration`.
void kl_gradient(const std::vector<double>& p, const std::vector<double>& x,
                 const std::vector<double>& y, double exaggeration, std::vector<double>& dx,
                 std::vector<double>& dy);

}  // namespace contrastive::eval
