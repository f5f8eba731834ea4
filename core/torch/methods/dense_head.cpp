#include "core/torch/methods/dense_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/base/rng.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::methods {
namespace {

at::Tensor normal(int64_t out, int64_t in, double deviation, Rng rng) {
  at::Tensor weight = at::empty({out, in}, at::kFloat);
  float* values = weight.mutable_data_ptr<float>();
  for (int64_t i = 0; i < out * in; ++i) values[i] = static_cast<float>(deviation * rng.normal());
  return weight;
}

}  // namespace

io::DenseModule to_module(const nn::Dense& layer) {
  const auto copy = [](const at::Tensor& tensor) {
    return tensor.defined()
               ? tensors::from_torch(tensor.detach().to(at::kCPU, at::kFloat, false, true))
               : Tensor();
  };
  return {copy(layer.weight), copy(layer.bias), layer.activation};
}

DenseHead::DenseHead(const std::string& name, const std::vector<DenseLayer>& layers,
                     double deviation, uint64_t seed, const c10::Device& device) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const DenseLayer& layer = layers[i];
    nn::Dense module;
    module.weight = normal(layer.out, layer.in, deviation, Rng(seed, Purpose::kInitialise, 0, i))
                        .to(device)
                        .set_requires_grad(true);
    module.bias = at::zeros({layer.out}, at::kFloat).to(device).set_requires_grad(true);
    module.activation = layer.activation;
    const std::string prefix = name + "." + std::to_string(i);
    parameters_.push_back({prefix + ".weight", module.weight, true});
    parameters_.push_back({prefix + ".bias", module.bias, false});
    layers_.push_back(std::move(module));
  }
}

at::Tensor DenseHead::operator()(const at::Tensor& x) const { return nn::run_dense(layers_, x); }

std::vector<io::DenseModule> DenseHead::modules(const tensors::TorchTensorMap& weights) const {
  const auto tensor = [&](const Parameter& parameter) {
    const auto given = weights.find(parameter.name);
    return given == weights.end() ? parameter.tensor : given->second;
  };
  std::vector<io::DenseModule> copies;
  for (size_t i = 0; i < layers_.size(); ++i) {
    copies.push_back(to_module(
        {tensor(parameters_[2 * i]), tensor(parameters_[2 * i + 1]), layers_[i].activation}));
  }
  return copies;
}

}  // namespace contrastive::methods
