#include "core/train/gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/stack.h>

#include <cmath>

#include "core/base/error.h"

namespace contrastive::train {
namespace {

std::string bad(const char* what, const std::string& name, const at::Tensor& tensor) {
  const int64_t count = tensor.numel() - at::isfinite(tensor).sum().item<int64_t>();
  return count == 0 ? "" : cat("the ", what, " '", name, "' (", count, " of ", tensor.numel(), " elements)");
}

std::vector<at::Tensor> gradients_of(const std::vector<methods::Parameter>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) {
    if (parameter.tensor.grad().defined()) gradients.push_back(parameter.tensor.grad());
  }
  return gradients;
}

}  // namespace

double gradient_norm(const std::vector<methods::Parameter>& parameters) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return 0;
  // One transfer for all of them: on a GPU each would wait for everything before it.
  const at::Tensor norms = at::stack(at::_foreach_norm(gradients)).to(at::kCPU, at::kDouble);  // [gradients]
  return norms.square().sum().sqrt().item<double>();
}

void clip_gradients(const std::vector<methods::Parameter>& parameters, double norm, double max_norm) {
  const double factor = max_norm / (norm + 1e-6);
  if (factor < 1) scale_gradients(parameters, factor);
}

void scale_gradients(const std::vector<methods::Parameter>& parameters, double factor) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (!gradients.empty()) at::_foreach_mul_(gradients, factor);
}

void clear_gradients(const std::vector<methods::Parameter>& parameters) {
  for (const auto& parameter : parameters) parameter.tensor.mutable_grad().reset();
}

std::string first_bad_tensor(const std::vector<methods::Parameter>& parameters) {
  const at::NoGradGuard no_grad;
  std::string found;
  for (size_t i = 0; i < parameters.size() && found.empty(); ++i) found = bad("weight", parameters[i].name, parameters[i].tensor);
  for (size_t i = 0; i < parameters.size() && found.empty(); ++i) {
    if (parameters[i].tensor.grad().defined()) found = bad("gradient of", parameters[i].name, parameters[i].tensor.grad());
  }
  return found;
}

}  // namespace contrastive::train
