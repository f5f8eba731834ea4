// Masked language modelling as a function of logits and labels: cross entropy over the vocabulary,
// summed over the positions that are to be predicted (CLEAR 3.2; Devlin et al., 2019).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace contrastive::objectives {

constexpr int64_t kNoLabel = -100;  // at positions that are not to be predicted

struct MlmLoss {
  at::Tensor sum;     // scalar; 0 with gradient 0 where nothing is to be predicted
  int64_t count = 0;  // positions with a label: the loss is sum / count, and 0 where there is none
};

// logits: [positions, vocabulary]; float16 and bfloat16 are computed in float32. labels: int64
// [positions], on the CPU best: to count them on a GPU waits for all that it has to do.
MlmLoss mlm_loss(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace contrastive::objectives
