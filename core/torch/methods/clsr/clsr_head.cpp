#include "core/torch/methods/clsr/clsr_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/torch/tensors/products.h"
#include "core/torch/methods/dense_head.h"
#include "core/torch/nn/torch_activation.h"

namespace contrastive::methods {
namespace {

// torch.nn.Linear's start: uniform in +-1/sqrt(in), weights and biases alike.
at::Tensor uniform(std::vector<int64_t> shape, int64_t in, Rng& rng) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  float* values = tensor.mutable_data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>((2 * rng.uniform() - 1) * bound);
  return tensor;
}

at::Tensor relu(const at::Tensor& x) { return nn::activate(nn::Activation::kRelu, x); }

// y = W ((x - mean) * scale) + b  =  (W scale) x + (b - W scale mean)
void fold_input(nn::Dense& module, const at::Tensor& mean, const at::Tensor& scale) {
  module.weight = module.weight * scale;  // [out, in] * [in]
  module.bias = module.bias - at::mv(module.weight, mean);
}

}  // namespace

ClsrHead::ClsrHead(const ClsrHeadOptions& options) : options_(options) {
  const int64_t in = options.input, hidden = options.hidden;
  switch (options.init) {
    case EncoderInit::kRandom:
      encoder_ = {random_layer("encoder.0", hidden, in),
                  random_layer("encoder.1", options.output, hidden)};
      break;
    case EncoderInit::kIdentity:
      options_.output = in;
      encoder_ = {make_layer("encoder.0", at::eye(in), at::zeros({in}))};
      break;
    case EncoderInit::kResidual:
      options_.output = in;
      encoder_ = {random_layer("encoder.0", hidden, in),
                  make_layer("encoder.1", at::zeros({in, hidden}), at::zeros({in}))};
      break;
  }
  const int64_t out = options_.projection_output;
  if (options_.projection == Projection::kLinear)
    projection_ = {random_layer("projection.0", out, options_.output)};
  if (options_.projection == Projection::kMlp) {
    projection_ = {random_layer("projection.0", out, options_.output),
                   random_layer("projection.1", out, out)};
  }
}

ClsrHead::Layer ClsrHead::make_layer(const std::string& name, at::Tensor weight, at::Tensor bias) {
  weight.set_requires_grad(true);
  bias.set_requires_grad(true);
  parameters_.push_back({name + ".weight", weight, decays_by_name(name + ".weight")});
  parameters_.push_back({name + ".bias", bias, decays_by_name(name + ".bias")});
  return {name, weight, bias};
}

ClsrHead::Layer ClsrHead::random_layer(const std::string& name, int64_t out, int64_t in) {
  // The stream's number is the layer's index, so that a layer starts the same whatever precedes it.
  Rng rng(options_.seed, Purpose::kInitialise, 0, parameters_.size());
  const at::Tensor weight = uniform({out, in}, in, rng);
  return make_layer(name, weight, uniform({out}, in, rng));
}

at::Tensor ClsrHead::encode(const at::Tensor& x) const {
  if (options_.init == EncoderInit::kIdentity)
    return tensors::linear(x, encoder_[0].weight, encoder_[0].bias);
  at::Tensor hidden = tensors::linear(x, encoder_[0].weight, encoder_[0].bias);  // [n, hidden]
  const bool residual = options_.init == EncoderInit::kResidual;
  if (residual || relu_after(ReluAt::kHidden)) hidden = relu(hidden);
  const at::Tensor v =
      tensors::linear(hidden, encoder_[1].weight, encoder_[1].bias);  // [n, output]
  if (residual) return x + v;
  return relu_after(ReluAt::kOutput) ? relu(v) : v;
}

at::Tensor ClsrHead::project(const at::Tensor& v) const {
  at::Tensor z = v;
  for (size_t i = 0; i < projection_.size(); ++i) {
    if (i > 0) z = relu(z);
    z = tensors::linear(z, projection_[i].weight, projection_[i].bias);
  }
  return z;
}

// The layers, replaced by those in `weights` with their names.
std::vector<ClsrHead::Layer> ClsrHead::replaced(std::vector<Layer> layers,
                                                const tensors::TorchTensorMap& weights) {
  for (Layer& layer : layers) {
    for (const auto& [part, tensor] :
         {std::pair(".weight", &layer.weight), std::pair(".bias", &layer.bias)}) {
      const auto given = weights.find(layer.name + part);
      if (given != weights.end()) *tensor = given->second;
    }
  }
  return layers;
}

std::vector<io::DenseModule> ClsrHead::modules(bool with_projection, const at::Tensor& mean,
                                               const at::Tensor& scale,
                                               const tensors::TorchTensorMap& weights) const {
  const std::vector<Layer> encoder = replaced(encoder_, weights),
                           projection = replaced(projection_, weights);
  const at::NoGradGuard no_grad;
  const auto copy = [](const Layer& layer, const char* activation) {
    return nn::Dense{layer.weight.detach(), layer.bias.detach(), activation};
  };
  std::vector<nn::Dense> modules;
  if (options_.init == EncoderInit::kIdentity) {
    modules = {copy(encoder[0], "identity")};
  } else if (options_.init == EncoderInit::kRandom) {
    modules = {copy(encoder[0], relu_after(ReluAt::kHidden) ? "relu" : "identity"),
               copy(encoder[1], relu_after(ReluAt::kOutput) ? "relu" : "identity")};
  } else {
    // x = relu(x) - relu(-x), so that x + W2 relu(W1 x + b1) + b2 is two Dense modules, exactly.
    const int64_t in = options_.input;
    const at::Tensor one = at::eye(in), none = at::zeros({in});
    modules = {{at::cat({one, -one, encoder[0].weight.detach()}),
                at::cat({none, none, encoder[0].bias.detach()}), "relu"},  // [2 in + hidden, in]
               {at::cat({one, -one, encoder[1].weight.detach()}, 1), encoder[1].bias.detach(),
                "identity"}};  // [in, 2 in + hidden]
  }
  if (mean.defined()) fold_input(modules[0], mean, scale);
  if (with_projection) {
    for (size_t i = 0; i < projection.size(); ++i)
      modules.push_back(copy(projection[i], i + 1 < projection.size() ? "relu" : "identity"));
  }
  std::vector<io::DenseModule> copies;
  for (const nn::Dense& module : modules) copies.push_back(to_module(module));
  return copies;
}

}  // namespace contrastive::methods
