// The geometry of embeddings: alignment and uniformity (Wang and Isola, ICML 2020), and the mean
// cosine, which approaches 1 when they collapse.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"

namespace contrastive::eval {

// All functions normalise their input (a zero vector stays zero) and compute in double. NaN if
// there is nothing to average, or if a vector contains NaN or infinity.

// Mean of |x_i - y_i|^alpha over the pairs: small when positives are close. x, y: [n, d].
double alignment(const float* x, const float* y, int64_t n, int64_t d, double alpha = 2);

// log of the mean of exp(-t |x_i - x_j|^2) over all i < j: low if the points are spread out. Works
// block by block: memory does not grow with n^2.
double uniformity(const float* x, int64_t n, int64_t d, double t = 2,
                  const Cancel* cancel = nullptr);

// Mean of cos(x_i, x_j) over all i < j, from the sum of the vectors.
double mean_cosine(const float* x, int64_t n, int64_t d);

}  // namespace contrastive::eval
