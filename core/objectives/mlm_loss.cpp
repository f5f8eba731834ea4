#include "core/objectives/mlm_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>

#include "core/base/error.h"

namespace contrastive::objectives {

MlmLoss mlm_loss(const at::Tensor& logits, const at::Tensor& labels) {
  check(logits.dim() == 2 && labels.dim() == 1 && labels.size(0) == logits.size(0), Status::kMismatch,
        "masked language modelling needs a label for each row of logits, not ", labels.sizes(), " for ", logits.sizes());
  const at::Tensor wide = logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
  MlmLoss loss;
  loss.count = labels.ne(kNoLabel).sum().item<int64_t>();
  loss.sum = at::cross_entropy_loss(wide, labels.to(wide.device()), {}, at::Reduction::Sum, kNoLabel);
  return loss;
}

}  // namespace contrastive::objectives
