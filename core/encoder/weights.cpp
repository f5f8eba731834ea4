#include "core/encoder/weights.h"

#include <functional>
#include <numeric>

#include "core/base/rng.h"

namespace contrastive::encoder {
namespace {

bool is_norm(const std::string& name) { return name.find("LayerNorm") != std::string::npos; }
bool is_bias(const std::string& name) {
  return name.size() > 5 && name.compare(name.size() - 5, 5, ".bias") == 0;
}

EncoderWeights no_weights(const Architecture& architecture) {
  EncoderWeights names;
  names.layers.resize(static_cast<size_t>(architecture.weight_set_count()));
  return names;
}

}  // namespace

std::vector<std::pair<std::string, std::vector<int64_t>>> weight_shapes(
    const Architecture& architecture) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  EncoderWeights names = no_weights(architecture);
  visit_weights(architecture, names, architecture.pooler,
                [&](const std::string& name, const std::vector<int64_t>& shape, Tensor&) {
                  shapes.emplace_back(name, shape);
                });
  return shapes;
}

EncoderWeights take_floats(const Architecture& architecture, const TensorMap& weights) {
  EncoderWeights taken =
      take_weights(architecture, weights, [](const Tensor& tensor) { return tensor.shape(); });
  for (const auto& [name, tensor] : named_parameters(architecture, taken)) {
    check(tensor.type() == ElementType::kFloat32, Status::kMismatch, "tensor ", name,
          " is not of type float32");
  }
  return taken;
}

std::vector<std::pair<std::string, Tensor>> named_parameters(const Architecture& architecture,
                                                             const EncoderWeights& weights) {
  std::vector<std::pair<std::string, Tensor>> named;
  visit_weights(architecture, weights, weights.pooler.weight.defined(),
                [&](const std::string& name, const std::vector<int64_t>&, const Tensor& parameter) {
                  named.emplace_back(name, parameter);
                });
  return named;
}

int64_t parameter_count(const Architecture& architecture, bool with_pooler) {
  EncoderWeights names = no_weights(architecture);
  int64_t sum = 0;
  visit_weights(architecture, names, with_pooler,
                [&](const std::string&, const std::vector<int64_t>& shape, Tensor&) {
                  sum +=
                      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
                });
  return sum;
}

TensorMap random_weights(const Architecture& architecture, uint64_t seed, bool with_pooler) {
  check_architecture(architecture);
  EncoderWeights names = no_weights(architecture);
  TensorMap weights;
  uint64_t number = 0;
  const float gain = architecture.norm == NormKind::kRmsPlusOne ? 0.0f : 1.0f;
  visit_weights(architecture, names, with_pooler,
                [&](const std::string& name, const std::vector<int64_t>& shape, Tensor&) {
                  Tensor tensor =
                      Tensor::filled(shape, is_norm(name) && !is_bias(name) ? gain : 0.0f);
                  if (!is_norm(name) && !is_bias(name)) {
                    Rng rng(seed, Purpose::kInitialise, 0, number);
                    float* values = tensor.mutable_floats();
                    for (int64_t i = 0; i < tensor.elements(); ++i)
                      values[i] = static_cast<float>(architecture.initializer_range * rng.normal());
                  }
                  ++number;
                  weights.emplace(name, std::move(tensor));
                });
  return weights;
}

std::vector<std::pair<std::string, std::vector<int64_t>>> mlm_head_shapes(
    const Architecture& architecture) {
  const std::string dense = "cls.predictions.transform.dense",
                    norm = "cls.predictions.transform.LayerNorm";
  const int64_t width = architecture.table_width();
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes{
      {dense + ".weight", {width, architecture.hidden_size}}};
  if (architecture.mlm_dense_bias) shapes.push_back({dense + ".bias", {width}});
  shapes.push_back({norm + ".weight", {width}});
  if (architecture.norm_bias) shapes.push_back({norm + ".bias", {width}});
  shapes.push_back({"cls.predictions.bias", {architecture.vocab_size}});
  return shapes;
}

}  // namespace contrastive::encoder
