// Losses of pairs of sentence vectors that have a score: CoSENT and AnglE, which use only the order
// of the scores, and the squared error of the cosine, which uses the scores themselves.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::objectives {

// [n, d] each -> [n]. float16 and bfloat16 are computed in float32; float64 stays. A zero vector
// has similarity 0 to everything, and gradient 0.
at::Tensor pair_cosines(const at::Tensor& a, const at::Tensor& b);
// AnglE's similarity: |cos(a, b) + sin(a, b)|, where sin is the sum of a_[i + d/2] b_i - a_i b_[i +
// d/2] over the vectors at length 1. If d is odd, a 0 is appended.
at::Tensor pair_angles(const at::Tensor& a, const at::Tensor& b);

// CoSENT (Su, 2022): log(1 + sum over all i, j with score_i < score_j of exp(scale (s_i - s_j))).
// similarities [n], scores float64 [n]; equal scores are not compared. It takes n log n time. For
// one pair, or if all scores are equal, it is exactly 0, with gradient 0.
at::Tensor cosent_loss(const at::Tensor& similarities, const at::Tensor& scores, double scale);

// The mean of (s_i - score_i)^2.
at::Tensor score_squared_error(const at::Tensor& similarities, const at::Tensor& scores);

}  // namespace contrastive::objectives
