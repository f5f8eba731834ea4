#include "core/torch/objectives/ranked_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>

#include "core/torch/tensors/products.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/tensors/row_blocks.h"

namespace contrastive::objectives {
namespace {

constexpr int64_t kSimilarities = int64_t{1} << 22;  // that are there at once

struct RankedRowsBackward : torch::autograd::Node {
  std::string name() const override { return "RankedRowsBackward"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the loss of ranked rows has no second derivative");
    TORCH_CHECK(rows.defined(), "a second backward pass through a graph that was not retained");
    if (!grads[0].defined()) return {{}, {}};
    return {rows * grads[0], columns * grads[0]};
  }
  void release_variables() override { rows = columns = at::Tensor(); }

  at::Tensor rows, columns;  // the gradients of the loss
};

// out += a b
void add_product(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  if (out.is_cpu()) tensors::multiply(out, a, b, true);
  else out.addmm_(a, b);
}

// One block of rows: its contribution to the loss, and to the gradients if they are defined.
class Block {
 public:
  Block(const RankedRows& ranked, int64_t first, int64_t count)
      : ranked_(ranked), rows_(ranked.rows.narrow(0, first, count)),
        positives_(ranked.positives.narrow(0, first, count).unsqueeze(1)) {
    const at::Tensor logits = tensors::product(rows_, ranked.columns.t());
    tensors::for_row_blocks(logits, [&](int64_t from, int64_t n) {
      logits.narrow(0, from, n).mul_(ranked.scale);
    });
    if (ranked.adjust) ranked.adjust(logits, first);
    logs_ = tensors::recycled_like(logits);
    tensors::for_row_blocks(logits, [&](int64_t from, int64_t n) {
      at::Tensor part = logs_.narrow(0, from, n);
      at::log_softmax_out(part, logits.narrow(0, from, n), 1);
    });
  }
  at::Tensor loss() const { return logs_.gather(1, positives_).sum().neg_(); }

  // With G = d loss / d logits = softmax - positive: d rows = scale G columns, d columns += scale
  // G^T rows. `logs_` becomes G.
  void add_gradients(const at::Tensor& rows, const at::Tensor& columns) {
    const double factor = ranked_.scale * ranked_.weight;
    tensors::for_row_blocks(logs_, [&](int64_t from, int64_t n) {
      const at::Tensor slope = logs_.narrow(0, from, n), own = positives_.narrow(0, from, n);
      slope.exp_();
      slope.scatter_(1, own, slope.gather(1, own).sub_(1)).mul_(factor);
    });
    rows.copy_(tensors::product(logs_, ranked_.columns));
    add_product(columns, logs_.t(), rows_);
  }

 private:
  const RankedRows& ranked_;
  at::Tensor rows_, positives_;  // [count, d], [count, 1]
  at::Tensor logs_;              // [count, columns] log of the softmax
};

}  // namespace

bool too_many_similarities(int64_t rows, int64_t columns) {
  return rows > kSimilarities / std::max<int64_t>(1, columns);
}

at::Tensor ranked_rows_loss(const RankedRows& ranked) {
  const bool with_grad = torch::autograd::compute_requires_grad(ranked.rows, ranked.columns);
  const at::NoGradGuard no_grad;
  const c10::impl::ExcludeDispatchKeyGuard full_precision{
      c10::autocast_dispatch_keyset};  // as in NT-Xent
  const int64_t r = ranked.rows.size(0),
                most = std::max<int64_t>(1, kSimilarities / ranked.columns.size(0));
  at::Tensor sum = at::zeros({}, ranked.rows.options()), rows, columns;
  if (with_grad) {
    rows = tensors::recycled_like(ranked.rows);
    columns = tensors::recycled_like(ranked.columns).zero_();
  }
  for (int64_t first = 0; first < r; first += most) {
    const int64_t count = std::min(most, r - first);
    Block block(ranked, first, count);
    sum.add_(block.loss());
    if (with_grad) block.add_gradients(rows.narrow(0, first, count), columns);
  }
  at::Tensor loss = sum.mul_(ranked.weight);
  if (!with_grad) return loss;
  auto node = std::make_shared<RankedRowsBackward>();
  node->rows = rows;
  node->columns = columns;
  node->set_next_edges(torch::autograd::collect_next_edges(ranked.rows, ranked.columns));
  torch::autograd::set_history(loss, node);
  return loss;
}

}  // namespace contrastive::objectives
