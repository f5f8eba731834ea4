#include "core/torch/objectives/relevance.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>

#include "core/base/error.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

at::Tensor beside(const at::Tensor& logits, const at::Tensor& values) {
  return values.to(logits.device(), logits.scalar_type());
}

void check_one_each(const at::Tensor& logits, const at::Tensor& values) {
  check(logits.dim() == 1 && logits.numel() > 0 && logits.sizes() == values.sizes(),
        Status::kMismatch, "each of the ", logits.sizes(), " logits needs its label, not ",
        values.sizes());
}

}  // namespace

at::Tensor binary_relevance_loss(const at::Tensor& logits, const at::Tensor& labels,
                                 double positive_weight) {
  check_one_each(logits, labels);
  const at::Tensor z = at_least_float32(logits);
  return at::binary_cross_entropy_with_logits(z, beside(z, labels), {},
                                              at::full({1}, positive_weight, z.options()));
}

at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& classes) {
  check(logits.dim() == 2 && classes.dim() == 1 && logits.size(0) == classes.size(0) &&
            logits.numel() > 0,
        Status::kMismatch, "each row of the ", logits.sizes(), " logits needs its class, not ",
        classes.sizes());
  const at::Tensor z = at_least_float32(logits);
  return -at::log_softmax(z, 1).gather(1, classes.to(z.device()).unsqueeze(1)).mean();
}

at::Tensor logit_squared_error(const at::Tensor& logits, const at::Tensor& teacher) {
  check_one_each(logits, teacher);
  const at::Tensor z = at_least_float32(logits);
  return (z - beside(z, teacher)).square().mean();
}

}  // namespace contrastive::objectives
