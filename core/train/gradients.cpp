#include "core/train/gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <cmath>

#include "core/base/error.h"

namespace contrastive::train {
namespace {

std::string bad(const char* what, const std::string& name, const at::Tensor& tensor) {
  const int64_t count = tensor.numel() - at::isfinite(tensor).sum().item<int64_t>();
  return count == 0 ? "" : cat("the ", what, " '", name, "' (", count, " of ", tensor.numel(), " elements)");
}

}  // namespace

double gradient_norm(const std::vector<methods::Parameter>& parameters) {
  const at::NoGradGuard no_grad;
  double squares = 0;
  for (const auto& parameter : parameters) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) continue;
    const double norm = gradient.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

void clip_gradients(const std::vector<methods::Parameter>& parameters, double norm, double max_norm) {
  const at::NoGradGuard no_grad;
  const double factor = max_norm / (norm + 1e-6);
  if (factor >= 1) return;
  for (const auto& parameter : parameters) {
    if (parameter.tensor.grad().defined()) parameter.tensor.grad().mul_(factor);
  }
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
