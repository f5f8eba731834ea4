#include "core/torch/tensors/select_rows.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>

#include "core/torch/tensors/recycled_memory.h"

namespace contrastive::tensors {
namespace {

using torch::autograd::variable_list;

struct SelectRowsBackward : torch::autograd::Node {
  std::string name() const override { return "SelectRowsBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "a selection of rows has no second derivative");
    if (!grads[0].defined()) return variable_list(1);
    const at::Tensor given = grads[0].contiguous(),
                     result = recycled_zeros({height, given.size(1)});
    const int64_t width = given.size(1), *numbers = rows.const_data_ptr<int64_t>();
    const float* from = given.const_data_ptr<float>();
    float* const to = result.mutable_data_ptr<float>();
    // Sequential, because a row may occur several times. These are few elements compared with the
    // zeros.
    for (int64_t i = 0; i < given.size(0); ++i, from += width) {
      float* const row = to + numbers[i] * width;
      for (int64_t k = 0; k < width; ++k) row[k] += from[k];
    }
    return {result};
  }

  int64_t height = 0;
  at::Tensor rows;
};

}  // namespace

at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
  if (x.dim() == 1) return select_rows(x.unsqueeze(1), rows).squeeze(1);
  // On a GPU the backward pass of index_select() sums in the order in which the threads run; that
  // of embedding() always uses the same order.
  if (x.is_cuda() && x.dim() == 2) return at::embedding(x, rows);
  if (!x.is_cpu() || x.scalar_type() != at::kFloat || x.dim() != 2)
    return at::index_select(x, 0, rows);
  at::Tensor result;
  const at::Tensor numbers = rows.contiguous();
  {
    const at::NoGradGuard no_grad;
    const at::Tensor from = x.contiguous();
    const int64_t width = from.size(1);
    result = at::empty({numbers.numel(), width}, at::kFloat);
    for (int64_t i = 0; i < numbers.numel(); ++i) {
      const int64_t row = numbers.const_data_ptr<int64_t>()[i];
      TORCH_CHECK(row >= 0 && row < from.size(0), "row ", row, " of ", from.size(0));
      std::copy_n(from.const_data_ptr<float>() + row * width, width,
                  result.mutable_data_ptr<float>() + i * width);
    }
  }
  if (!torch::autograd::compute_requires_grad(x)) return result;
  const auto node = std::make_shared<SelectRowsBackward>();
  node->height = x.size(0);
  node->rows = numbers;
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  torch::autograd::set_history(result, node);
  return result;
}

}  // namespace contrastive::tensors
