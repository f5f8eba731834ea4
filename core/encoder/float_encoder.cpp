#include "core/encoder/float_encoder.h"

namespace contrastive::encoder {
namespace {

InferenceWeights view_of(const EncoderWeights& w) {
  const auto linear = [](const Linear& from) { return LinearView{from.weight.floats(), nullptr, from.bias.floats()}; };
  const auto norm = [](const LayerNorm& from) { return NormView{from.weight.floats(), from.bias.floats()}; };
  InferenceWeights view;
  view.embeddings = {w.embeddings.words.floats(), nullptr, w.embeddings.positions.floats(), w.embeddings.types.floats(), norm(w.embeddings.norm)};
  view.layers.reserve(w.layers.size());
  for (const LayerWeights& l : w.layers) {
    view.layers.push_back({linear(l.query), linear(l.key), linear(l.value), linear(l.attention_output), norm(l.attention_norm),
                           linear(l.intermediate), linear(l.output), norm(l.output_norm)});
  }
  view.pooler = linear(w.pooler);  // of nullptr where there is none
  return view;
}

}  // namespace

FloatEncoder::FloatEncoder(const EncoderOptions& options, const TensorMap& weights)
    : CpuEncoder(options), weights_(take_floats(options, weights)), view_(view_of(weights_)) {}

std::vector<std::pair<std::string, Tensor>> FloatEncoder::named_parameters() const { return encoder::named_parameters(options(), weights_); }

std::shared_ptr<Encoder> FloatEncoder::clone() const {
  TensorMap copies;
  for (const auto& [name, parameter] : named_parameters()) copies.emplace(name, parameter.clone());
  return std::make_shared<FloatEncoder>(options(), copies);
}

}  // namespace contrastive::encoder
