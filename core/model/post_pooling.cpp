#include "core/model/post_pooling.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/encoder/inference.h"
#include "core/io/modules.h"

namespace contrastive::model {
namespace {

// In double, which systems' libraries of mathematics round to the same float.
template <typename Function>
void apply_in_double(std::vector<float>& values, const Function& function) {
  for (float& value : values) value = static_cast<float>(function(static_cast<double>(value)));
}

}  // namespace

void activate(const std::string& activation, std::vector<float>& values) {
  if (activation == "identity") return;
  if (activation == "relu") {
    for (float& value : values) value = value < 0 ? 0 : value;  // NaN must stay NaN
  } else if (activation == "tanh") {
    apply_in_double(values, [](double x) { return std::tanh(x); });
  } else if (activation == "sigmoid") {
    apply_in_double(values, [](double x) { return 1 / (1 + std::exp(-x)); });
  } else if (activation == "gelu") {
    apply_in_double(values,
                    [](double x) { return 0.5 * x * (1 + std::erf(x * 0.70710678118654752)); });
  } else if (activation == "silu") {
    apply_in_double(values, [](double x) { return x / (1 + std::exp(-x)); });
  } else if (activation == "mish") {
    apply_in_double(values, [](double x) {
      return x * std::tanh(std::log1p(std::exp(std::min(x, 20.0))));
    });
  } else {
    fail(Status::kUnsupported,
         unknown_name("dense activation", activation, io::dense_activations()));
  }
}

int64_t apply_dense(const std::vector<io::DenseModule>& modules, std::vector<float>& rows,
                    int64_t n, int64_t width) {
  for (const io::DenseModule& module : modules) {
    for (int64_t row = 0; module.normalizes && row < n; ++row)
      normalize_row(rows.data() + row * width, width);
    const int64_t out = module.weight.size(0);
    std::vector<float> next((Size(n, "rows") * out).bytes());
    encoder::dense_rows(rows.data(), n, {module.weight.floats(), nullptr, module.bias.floats()},
                        width, out, next.data());
    activate(module.activation, next);
    rows = std::move(next);
    width = out;
  }
  return width;
}

void normalize_row(float* row, int64_t width) {
  double sum = 0;
  for (int64_t i = 0; i < width; ++i)
    sum += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  const auto scale = static_cast<float>(1.0 / std::max(std::sqrt(sum), 1e-12));
  for (int64_t i = 0; i < width; ++i) row[i] *= scale;
}

void finish_row(const EncodePlan& plan, float* row, int64_t width, float* out) {
  if (plan.normalize) normalize_row(row, width);
  std::copy_n(row, plan.dimension, out);
  if (plan.normalize_cut && plan.dimension < width) normalize_row(out, plan.dimension);
}

}  // namespace contrastive::model
