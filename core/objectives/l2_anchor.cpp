#include "core/objectives/l2_anchor.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <memory>

#include "core/base/error.h"

namespace contrastive::objectives {
namespace {

using torch::autograd::variable_list;

struct AnchorBackward : torch::autograd::Node {
  std::string name() const override { return "AnchorBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!weights.empty(), "a second backward pass through a graph that was not retained");
    TORCH_CHECK(!at::GradMode::is_enabled(), "the anchor has no second derivative");
    variable_list results(weights.size());
    if (!grads[0].defined()) return results;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (task_should_compute_output(i)) results[i] = at::sub(weights[i], starts[i]).mul_(grads[0].to(weights[i].scalar_type()) * 2);
    }
    return results;
  }
  void release_variables() override {
    weights.clear();
    starts.clear();
  }

  std::vector<at::Tensor> weights, starts;
};

// Blocks short enough for float32 sums, added up in double: no memory beside the weights.
double squared_distance(const float* a, const float* b, int64_t count) {
  constexpr int64_t kBlock = 256;
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    float lanes[16] = {};
    int64_t i = begin;
    for (; i + 16 <= end; i += 16) {
      for (int64_t lane = 0; lane < 16; ++lane) {
        const float difference = a[i + lane] - b[i + lane];
        lanes[lane] += difference * difference;
      }
    }
    for (; i < end; ++i) lanes[0] += (a[i] - b[i]) * (a[i] - b[i]);
    for (const float lane : lanes) total += lane;
  }
  return total;
}

at::Tensor squared_distance(const at::Tensor& weight, const at::Tensor& start) {
  const bool plain = weight.device().is_cpu() && weight.scalar_type() == at::kFloat && weight.is_contiguous() && start.is_contiguous();
  if (!plain) return at::sub(weight, start).to(at::kDouble).square().sum();
  const double sum = squared_distance(weight.const_data_ptr<float>(), start.const_data_ptr<float>(), weight.numel());
  return at::zeros({}, at::kDouble).fill_(sum);
}

}  // namespace

at::Tensor l2_anchor(const std::vector<at::Tensor>& weights, const std::vector<at::Tensor>& starts) {
  check(!weights.empty() && weights.size() == starts.size(), Status::kMismatch, "each of the ", weights.size(), " weights needs its start, not ",
        starts.size());
  at::Tensor total;
  {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < weights.size(); ++i) {
      const at::Tensor &weight = weights[i], &start = starts[i];
      check(weight.sizes() == start.sizes() && weight.scalar_type() == start.scalar_type() && weight.device() == start.device(), Status::kMismatch,
            "weight ", i, " is ", weight.sizes(), " and its start ", start.sizes(), ", or of another type or device");
      const at::Tensor distance = squared_distance(weight, start);
      total = total.defined() ? total + distance : distance;
    }
    total = total.to(weights[0].scalar_type());
  }
  if (!torch::autograd::compute_requires_grad(weights)) return total;
  const auto node = std::make_shared<AnchorBackward>();
  node->weights = weights;
  node->starts = starts;
  node->set_next_edges(torch::autograd::collect_next_edges(weights));
  torch::autograd::set_history(total, node);
  return total;
}

}  // namespace contrastive::objectives
