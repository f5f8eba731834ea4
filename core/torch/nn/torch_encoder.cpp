#include "core/torch/nn/torch_encoder.h"

#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/tensors/openmp.h"

namespace contrastive::nn {
namespace {

c10::ScalarType to_torch(runtime::Precision precision) {
  switch (precision) {
    case runtime::Precision::kFloat32: return at::kFloat;
    case runtime::Precision::kBFloat16: return at::kBFloat16;
    case runtime::Precision::kInt8: break;
  }
  fail(Status::kInternal, "a precision that LibTorch lacks");
}

}  // namespace

std::shared_ptr<encoder::Encoder> make_torch_encoder(const Architecture& architecture,
                                                     const TensorMap& weights,
                                                     const runtime::Device& device,
                                                     runtime::Precision precision) {
  tensors::require_device(device);
  TrainableEncoder modules(architecture, tensors::to_torch(weights));
  tensors::settle_openmp();
  modules.to(tensors::to_torch(device), to_torch(precision));
  return std::make_shared<TorchEncoder>(std::move(modules));
}

runtime::Device TorchEncoder::device() const { return tensors::from_torch(modules_.device()); }

runtime::Precision TorchEncoder::precision() const {
  return modules_.precision() == at::kBFloat16 ? runtime::Precision::kBFloat16
                                               : runtime::Precision::kFloat32;
}

std::vector<std::pair<std::string, Tensor>> TorchEncoder::named_parameters() const {
  std::vector<std::pair<std::string, Tensor>> named;
  for (const auto& [name, parameter] : modules_.named_parameters())
    named.emplace_back(name, tensors::from_torch(parameter.detach().to(at::kFloat)));
  return named;
}

int64_t TorchEncoder::weight_bytes() const {
  int64_t bytes = 0;
  for (const auto& [name, parameter] : modules_.named_parameters())
    bytes += static_cast<int64_t>(parameter.nbytes());
  return bytes;
}

std::shared_ptr<encoder::Encoder> TorchEncoder::clone() const {
  return std::make_shared<TorchEncoder>(modules_.clone());
}

void TorchEncoder::infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
                         const std::vector<const uint8_t*>& keeps, float* out,
                         int /* most_threads: LibTorch computes on the calling one */) const {
  check(keeps.size() == poolings.size(), Status::kInternal,
        "one list of kept tokens is needed for each pooling");
  const c10::NoGradGuard no_grad;
  tensors::settle_openmp();
  const std::vector<at::Tensor> states = modules_.run_layers(modules_.embed(tokens), tokens);
  std::vector<at::Tensor> vectors;
  for (size_t i = 0; i < poolings.size(); ++i)
    vectors.push_back(modules_.pool(poolings[i], states, tokens, keeps[i]));
  const at::Tensor joined = at::cat(vectors, 1).to(at::kCPU, at::kFloat).contiguous();
  std::copy_n(joined.const_data_ptr<float>(), joined.numel(), out);
}

TrainableEncoder trainable(const encoder::Encoder& encoder) {
  if (const auto* torch = dynamic_cast<const TorchEncoder*>(&encoder)) return torch->modules();
  check(encoder.precision() == runtime::Precision::kFloat32, Status::kArgument,
        "the model was loaded with precision = ", runtime::precision_name(encoder.precision()),
        ", and weights are trained in float32: load it with precision = float32");
  tensors::TorchTensorMap weights;
  for (const auto& [name, parameter] : encoder.named_parameters())
    weights.emplace(name, tensors::to_torch(parameter));
  return TrainableEncoder(encoder.architecture(), weights);
}

}  // namespace contrastive::nn
