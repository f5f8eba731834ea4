#include "core/torch/nn/torch_activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold_backward.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <memory>

#include "core/cpu/kernels.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/tensors/row_blocks.h"

namespace contrastive::nn {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

at::Tensor on_any_device(Activation activation, const at::Tensor& x) {
  switch (activation) {
    case Activation::kGeluErf: return at::gelu(x, "none");
    case Activation::kGeluTanh: return at::gelu(x, "tanh");
    case Activation::kRelu: return at::relu(x);
    case Activation::kSilu: return at::silu(x);
    case Activation::kTanh: return at::tanh(x);
    case Activation::kSigmoid: return at::sigmoid(x);
    case Activation::kMish: return at::mish(x);
    case Activation::kQuickGelu: return x * at::sigmoid(x * 1.702);
  }
  TORCH_CHECK(false, "unknown activation");
}

// The kernels need rows and a bias: use short rows and no bias.
constexpr int64_t kRow = 512;
alignas(64) constexpr float kNoBias[kRow] = {};

void run_kernel(cpu::ActivationTask& task, int64_t count) {
  task.rows = 1;
  task.width = count;
  task.bias = kNoBias;
  cpu::kernels().training->activation(task);
}

void activate_numbers(Activation activation, const float* x, int64_t count, float* y) {
  for (int64_t i = 0; i < count; i += kRow) {
    cpu::ActivationTask task;
    task.activation = activation;
    task.x = x + i;
    task.activated = y + i;
    run_kernel(task, std::min(kRow, count - i));
  }
}

// `grad` is the gradient of the activated elements, and becomes that of x.
void differentiate_numbers(Activation activation, const float* x, int64_t count, float* grad) {
  alignas(64) float activated[kRow], sums[kRow];  // not used
  for (int64_t i = 0; i < count; i += kRow) {
    cpu::ActivationTask task;
    task.activation = activation;
    task.x = x + i;
    task.activated = activated;
    task.grad = grad + i;
    task.grad_bias = sums;
    run_kernel(task, std::min(kRow, count - i));
  }
}

// The same in LibTorch's 16-bit types, without converting to float32.
const char* approximation(Activation activation) {
  return activation == Activation::kGeluTanh ? "tanh" : "none";
}
void activate_halves(Activation activation, const at::Tensor& x, at::Tensor y) {
  if (activation == Activation::kRelu) at::clamp_min_out(y, x, 0);
  else if (activation == Activation::kSilu) at::silu_out(y, x);
  else at::gelu_out(y, x, approximation(activation));
}
void differentiate_halves(Activation activation, const at::Tensor& x, const at::Tensor& grad,
                          at::Tensor to) {
  if (activation == Activation::kRelu) at::threshold_backward_out(to, grad, x, 0);
  else if (activation == Activation::kSilu) at::silu_backward_out(to, grad, x);
  else at::gelu_backward_out(to, grad, x, approximation(activation));
}

at::Tensor numbers(const at::Tensor& x) { return x.contiguous().view({-1}); }

at::Tensor forward(Activation activation, const at::Tensor& x, bool training) {
  const at::NoGradGuard no_grad;
  const at::Tensor from = numbers(x),
                   to = training ? tensors::recycled_like(from) : at::empty_like(from);
  tensors::for_row_blocks(from, [&](int64_t first, int64_t count) {
    if (x.scalar_type() != at::kFloat)
      return activate_halves(activation, from.narrow(0, first, count), to.narrow(0, first, count));
    activate_numbers(activation, from.const_data_ptr<float>() + first, count,
                     to.mutable_data_ptr<float>() + first);
  });
  return to.view(x.sizes());
}

at::Tensor backward(Activation activation, const at::Tensor& x, const at::Tensor& grad) {
  const at::Tensor from = numbers(x), given = numbers(grad), to = tensors::recycled_like(from);
  tensors::for_row_blocks(from, [&](int64_t first, int64_t count) {
    const at::Tensor grads = given.narrow(0, first, count);
    if (x.scalar_type() != at::kFloat)
      return differentiate_halves(activation, from.narrow(0, first, count), grads,
                                  to.narrow(0, first, count));
    to.narrow(0, first, count).copy_(grads);
    differentiate_numbers(activation, from.const_data_ptr<float>() + first, count,
                          to.mutable_data_ptr<float>() + first);
  });
  return to.view(x.sizes());
}

struct ActivationBackward : torch::autograd::Node {
  std::string name() const override { return "ActivationBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "activations on the pool have no second derivative");
    if (!grads[0].defined()) return variable_list(1);
    return {backward(activation, kept.unpack(shared_from_this()), grads[0])};
  }
  void release_variables() override { kept.reset_data(); }

  Activation activation = Activation::kRelu;
  SavedVariable kept;  // x; of ReLU the result, which has the same slope and is what the next layer
                       // keeps anyway
};

}  // namespace

at::Tensor activate(Activation activation, const at::Tensor& x) {
  const at::ScalarType type = x.scalar_type();
  const bool here = encoder::kernels_activate(activation) && x.is_cpu() &&
                    x.layout() == at::kStrided &&
                    (type == at::kFloat || type == at::kBFloat16 || type == at::kHalf);
  if (!here) return on_any_device(activation, x);
  const bool training = torch::autograd::compute_requires_grad(x);
  const at::Tensor y = forward(activation, x, training);
  if (!training) return y;
  const auto node = std::make_shared<ActivationBackward>();
  node->activation = activation;
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  torch::autograd::set_history(y, node);
  const bool relu = activation == Activation::kRelu;
  node->kept = SavedVariable(relu ? y : x, relu);
  return y;
}

}  // namespace contrastive::nn
