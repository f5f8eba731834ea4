// The losses of self-guided contrastive learning (SG-OPT, Kim et al., 2021, section 3.2). c: the
// sentence vectors that are tuned; h: views of the same sentences from the layers of a frozen copy.
// Both are outputs of the projection head. All losses use the cosine, divided by a temperature.
//
// The plain form, L_base, is nt_xent(c, h). float16 and bfloat16 are computed in float32; float64
// stays. One sentence has no negatives: every loss and its gradient are exactly 0. If `text_ids`,
// int64 [b], is defined, sentences with equal numbers are not negatives of each other.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::methods {

// -log phi(c_i, h_i) / (sum_{j != i} phi(c_i, c_j) + sum_j phi(c_i, h_j)), mean over b.
// c, h: [b, d]
at::Tensor sg_opt1(const at::Tensor& c, const at::Tensor& h, double temperature,
                   const at::Tensor& text_ids = {});

// -log phi(c_i, h_i) / sum_j phi(c_i, h_j), mean over b. With `drop_first_negative` the first other
// h of every row is left out, as a slice in the authors' code does.
at::Tensor sg_opt2(const at::Tensor& c, const at::Tensor& h, double temperature,
                   bool drop_first_negative = false, const at::Tensor& text_ids = {});

// For every layer k: -log phi(c_i, h_ik) / (phi(c_i, h_ik) + sum_{m != i} sum_n phi(c_i, h_mn)),
// mean over b and the layers. Other layers of the same sentence are neither positives nor
// negatives. c: [b, d], h: [b, layers, d]
at::Tensor sg_opt3(const at::Tensor& c, const at::Tensor& h, double temperature,
                   const at::Tensor& text_ids = {});

}  // namespace contrastive::methods
