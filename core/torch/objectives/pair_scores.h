// Losses of pairs of sentence vectors that have a score: CoSENT and AnglE, which ask for the order
// of the scores alone, and the squared error of the cosine, which asks for the scores themselves.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::objectives {

// [n, d] each -> [n]. float16 and bfloat16 are computed in float32, float64 stays. A zero vector
// has similarity 0 to everything, and gradient 0.
at::Tensor pair_cosines(const at::Tensor& a, const at::Tensor& b);
// AnglE's: |cos(a, b) + sin(a, b)|, where sin is the sum over a_[i + d/2] b_i - a_i b_[i + d/2] of
// the vectors at length 1. An odd d gets a 0 behind it.
at::Tensor pair_angles(const at::Tensor& a, const at::Tensor& b);

// CoSENT (Su, 2022): log(1 + sum over all i, j with score_i < score_j of exp(scale (s_i - s_j))).
// similarities [n], scores float64 [n]; equal scores are not compared. The time grows with n log n.
// One pair, or all scores alike: exactly 0, and gradient 0.
at::Tensor cosent_loss(const at::Tensor& similarities, const at::Tensor& scores, double scale);

// The mean of (s_i - score_i)^2.
at::Tensor score_squared_error(const at::Tensor& similarities, const at::Tensor& scores);

}  // namespace contrastive::objectives
