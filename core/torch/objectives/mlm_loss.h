// The loss of masked language modelling from logits and labels: cross entropy over the vocabulary,
// summed over the positions to predict (CLEAR 3.2; Devlin et al., 2019).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace contrastive::objectives {

constexpr int64_t kNoLabel = -100;  // at positions that are not predicted

struct MlmLoss {
  at::Tensor sum;     // scalar; 0 with gradient 0 if no position has a label
  int64_t count = 0;  // positions with a label: the loss is sum / count, and 0 if count is 0
};

// logits: [positions, vocabulary]; float16 and bfloat16 are computed in float32. labels: int64
// [positions], preferably on the CPU: counting them on a GPU waits for all its pending work.
MlmLoss mlm_loss(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace contrastive::objectives
