// Exact t-SNE (van der Maaten and Hinton, JMLR 2008): a plane in which near vectors lie near each
// other. The defaults are scikit-learn's, which core/eval/geometry/README.md 2 asks for.
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
  std::vector<double> x, y;  // the points' places
  double kl = 0;             // Kullback-Leibler divergence that is left, in nats
  double perplexity = 0;     // the one in force
};

// x: [n, d], 4 to kMaxTsnePoints rows (kArgument, kLimit). A perplexity above (n - 1) / 3 is
// lowered to that, with a warning. Begins with the two principal components, scaled to a standard
// deviation of 1e-4, and draws nothing: the same vectors give the same places, with any number of
// threads. Equal vectors stay in one place. kNumeric for NaN or infinity.
TsneResult tsne(const float* x, int64_t n, int64_t d, const TsneOptions& options,
                const Cancel* cancel = nullptr);

// The parts, for tests and for whoever wants another descent.

// Where the descent begins. Each component's largest loading is positive. All zero where the
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
