#include "core/torch/objectives/mlm_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sub.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>

#include "core/base/error.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/tensors/row_blocks.h"

namespace contrastive::objectives {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// The gradient of a row: softmax(logits), minus 1 at the label; 0 in rows without a label.
struct MlmLossBackward : torch::autograd::Node {
  std::string name() const override { return "MlmLossBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "the loss of masked language modelling has no second derivative");
    if (!grads[0].defined()) return variable_list(1);
    const at::Tensor x = logits.unpack(), result = tensors::recycled_like(x);
    const at::Tensor weights = counted * grads[0];  // [rows, 1]
    tensors::for_row_blocks(x, [&](int64_t first, int64_t rows) {
      at::Tensor part = result.narrow(0, first, rows);
      at::sub_out(part, x.narrow(0, first, rows), largest.narrow(0, first, rows))
          .sub_(log_sums.narrow(0, first, rows))
          .exp_();
      const at::Tensor at_label = labels.narrow(0, first, rows);
      part.scatter_add_(1, at_label, at::full_like(at_label, -1, part.options()))
          .mul_(weights.narrow(0, first, rows));
    });
    return {result};
  }
  void release_variables() override { logits.reset_data(); }

  SavedVariable logits;          // [rows, words]
  at::Tensor largest, log_sums;  // [rows, 1] max(logits), log(sum(exp(logits - largest))): two
                                 // numbers, as their sum has lost digits
  at::Tensor labels,
      counted;  // [rows, 1] the word, or any where the row does not count; 1 where it does
};

}  // namespace

MlmLoss mlm_loss(const at::Tensor& logits, const at::Tensor& labels) {
  check(logits.dim() == 2 && labels.dim() == 1 && labels.size(0) == logits.size(0),
        Status::kMismatch, "masked language modelling needs a label for each row of logits, not ",
        labels.sizes(), " for ", logits.sizes());
  const at::Tensor wide = logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
  const bool training = torch::autograd::compute_requires_grad(wide);
  const auto node = std::make_shared<MlmLossBackward>();
  const at::NoGradGuard no_grad;
  MlmLoss loss;
  const at::Tensor given = labels.to(wide.device()).unsqueeze(1), present = given.ne(kNoLabel);
  loss.count = present.sum().item<int64_t>();
  node->labels = given.masked_fill(present.logical_not(), 0);
  node->counted = present.to(wide.scalar_type());
  const auto column = [&] { return at::empty({wide.size(0), 1}, wide.options()); };
  node->largest = column();
  node->log_sums = column();
  const at::Tensor rows = column();  // the loss of each
  tensors::for_row_blocks(wide, [&](int64_t first, int64_t count) {
    at::Tensor part = wide.narrow(0, first, count), sums = node->log_sums.narrow(0, first, count),
               row = rows.narrow(0, first, count);
    const at::Tensor top = part.amax(1, true);
    node->largest.narrow(0, first, count).copy_(top);
    part = part - top;
    at::sub_out(row, sums.copy_(part.exp().sum(1, true).log_()),
                part.gather(1, node->labels.narrow(0, first, count)));
  });
  loss.sum = rows.mul_(node->counted).sum();
  if (!training) return loss;
  node->logits = SavedVariable(wide, false);
  node->set_next_edges(torch::autograd::collect_next_edges(wide));
  torch::autograd::set_history(loss.sum, node);
  return loss;
}

}  // namespace contrastive::objectives
