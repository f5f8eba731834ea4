// Pairwise losses of a reranker's logits: against labels, classes, or a teacher's scores.
// list_loss.h has the losses of whole lists, distillation.h those of margins.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::objectives {

// float16 and bfloat16 are computed in float32; float64 stays. `labels` and `teacher` may have
// another floating-point type and be on another device.

// The mean over n pairs of -(w y log s(z) + (1 - y) log(1 - s(z))), s the sigmoid. logits z [n],
// labels y [n] in 0 ... 1, w = positive_weight.
at::Tensor binary_relevance_loss(const at::Tensor& logits, const at::Tensor& labels,
                                 double positive_weight);

// The mean over n pairs of -log softmax(z_i)[c_i]. logits [n, classes], classes c int64 [n].
at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& classes);

// The mean of (z_i - t_i)^2. [n] each.
at::Tensor logit_squared_error(const at::Tensor& logits, const at::Tensor& teacher);

}  // namespace contrastive::objectives
