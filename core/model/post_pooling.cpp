#include "core/model/post_pooling.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/runtime/openmp.h"

namespace contrastive::model {

at::Tensor apply_dense(const std::vector<io::DenseModule>& modules, at::Tensor x) {
  if (!modules.empty()) runtime::settle_openmp();
  for (const io::DenseModule& module : modules) {
    const std::optional<at::Tensor> bias = module.bias.defined() ? std::optional<at::Tensor>(module.bias) : std::nullopt;
    x = at::linear(x, module.weight, bias);
    if (module.activation == "tanh") x = at::tanh(x);
    else if (module.activation == "relu") x = at::relu(x);
    else if (module.activation == "gelu") x = at::gelu(x);
    else if (module.activation == "sigmoid") x = at::sigmoid(x);
    else check(module.activation == "identity", Status::kUnsupported, "dense activation '", module.activation,
        "': tanh, relu, gelu, sigmoid and identity are known");
  }
  return x;
}

void normalise_row(float* row, int64_t width) {
  double sum = 0;
  for (int64_t i = 0; i < width; ++i) sum += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  const auto scale = static_cast<float>(1.0 / std::max(std::sqrt(sum), 1e-12));
  for (int64_t i = 0; i < width; ++i) row[i] *= scale;
}

void finish_row(const EncodePlan& plan, float* row, int64_t width, float* out) {
  if (plan.normalize) normalise_row(row, width);
  std::copy_n(row, plan.dimension, out);
  if (plan.normalize && plan.dimension < width) normalise_row(out, plan.dimension);
}

}  // namespace contrastive::model
