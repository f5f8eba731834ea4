// The affinities of t-SNE (van der Maaten and Hinton, JMLR 2008, section 2): probabilities that
// points are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"

namespace contrastive::eval {

// P[i, j] = (p_{j|i} + p_{i|j}) / 2n, where p_{j|i} is a Gaussian of the squared Euclidean distance
// around point i, its width chosen so that the entropy is log(perplexity). x: [n, d]; the result:
// [n, n], symmetric, diagonal 0, sum 1. In double. A point with more than `perplexity` copies of
// itself shares its probability among those. n >= 2, perplexity in [1, n - 1] (kArgument); kNumeric
// for NaN and infinity.
std::vector<double> joint_probabilities(const float* x, int64_t n, int64_t d, double perplexity,
                                        const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
