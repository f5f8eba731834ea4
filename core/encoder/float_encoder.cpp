#include "core/encoder/float_encoder.h"

namespace contrastive::encoder {
namespace {

Numbers numbers(const Tensor& tensor) { return {tensor.floats(), nullptr}; }

}  // namespace

FloatEncoder::FloatEncoder(const Architecture& architecture, const TensorMap& weights)
    : CpuEncoder(architecture), weights_(take_floats(architecture, weights)),
      view_(view_of(weights_, numbers)) {}

std::vector<std::pair<std::string, Tensor>> FloatEncoder::named_parameters() const {
  return encoder::named_parameters(architecture(), weights_);
}

std::shared_ptr<Encoder> FloatEncoder::clone() const {
  TensorMap copies;
  for (const auto& [name, parameter] : named_parameters()) copies.emplace(name, parameter.clone());
  return std::make_shared<FloatEncoder>(architecture(), copies);
}

}  // namespace contrastive::encoder
