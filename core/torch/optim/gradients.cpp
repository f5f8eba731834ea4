#include "core/torch/optim/gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/cpu/kernels.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::optim {
namespace {

constexpr int64_t kClippedPiece = int64_t{1} << 14;  // numbers

std::string bad(const char* what, const std::string& name, const at::Tensor& tensor) {
  const int64_t count = tensor.numel() - at::isfinite(tensor).sum().item<int64_t>();
  return count == 0
             ? ""
             : cat("the ", what, " '", name, "' (", count, " of ", tensor.numel(), " elements)");
}

}  // namespace

double gradient_norm(const std::vector<Parameter>& parameters) {
  const at::NoGradGuard no_grad;
  double squares = 0;
  std::vector<at::Tensor> others;
  std::vector<std::pair<const float*, int64_t>>
      pieces;  // of all gradients in float32 on the CPU: one round of the threads for all
  for (const auto& parameter : parameters) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) continue;
    if (gradient.device().is_cpu() && gradient.scalar_type() == at::kFloat &&
        gradient.is_contiguous()) {
      const int64_t count = gradient.numel();
      for (int64_t begin = 0; begin < count; begin += kClippedPiece) {
        pieces.emplace_back(gradient.const_data_ptr<float>() + begin,
                            std::min(kClippedPiece, count - begin));
      }
    } else {
      others.push_back(gradient);
    }
  }
  if (!others.empty()) {
    // One transfer for all of them, because on a GPU each separate one would wait for everything
    // before it.
    squares +=
        at::stack(at::_foreach_norm(others, 2, at::kDouble)).cpu().square().sum().item<double>();
  }
  std::vector<float> parts(pieces.size());
  runtime::parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const auto& [values, count] = pieces[static_cast<size_t>(i)];
    parts[static_cast<size_t>(i)] = cpu::kernels().update->sum_of_squares(values, count);
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (std::isfinite(parts[i])) {
      squares += static_cast<double>(parts[i]);
      continue;
    }
    // A square beyond float32 is not an error yet; NaN and infinity do not change.
    for (int64_t k = 0; k < pieces[i].second; ++k)
      squares += std::pow(static_cast<double>(pieces[i].first[k]), 2);
  }
  return std::sqrt(squares);
}

double clip_factor(double norm, double max_norm) { return std::min(1.0, max_norm / (norm + 1e-6)); }

void clear_gradients(const std::vector<Parameter>& parameters) {
  for (const auto& parameter : parameters) parameter.tensor.mutable_grad().reset();
}

std::string first_bad_tensor(const std::vector<Parameter>& parameters) {
  const at::NoGradGuard no_grad;
  std::string found;
  for (size_t i = 0; i < parameters.size() && found.empty(); ++i)
    found = bad("weight", parameters[i].name, parameters[i].tensor);
  for (size_t i = 0; i < parameters.size() && found.empty(); ++i) {
    if (parameters[i].tensor.grad().defined())
      found = bad("gradient of", parameters[i].name, parameters[i].tensor.grad());
  }
  return found;
}

}  // namespace contrastive::optim
