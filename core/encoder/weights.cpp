#include "core/encoder/weights.h"

#include <functional>
#include <numeric>

#include "core/base/rng.h"

namespace contrastive::encoder {
namespace {

bool is_norm(const std::string& name) { return name.find("LayerNorm") != std::string::npos; }
bool is_bias(const std::string& name) { return name.size() > 5 && name.compare(name.size() - 5, 5, ".bias") == 0; }

}  // namespace

void check_options(const EncoderOptions& o) {
  check(o.num_attention_heads > 0 && o.hidden_size > 0 && o.hidden_size % o.num_attention_heads == 0, Status::kMismatch, "hidden_size ", o.hidden_size,
        " is not a multiple of num_attention_heads ", o.num_attention_heads);
  check(o.num_hidden_layers >= 1, Status::kMismatch, "num_hidden_layers is ", o.num_hidden_layers, ": at least 1 is needed");
  check(o.max_tokens() >= 2, Status::kMismatch, "max_position_embeddings ", o.max_position_embeddings, " leaves no room for a text");
}

EncoderWeights take_floats(const EncoderOptions& options, const TensorMap& weights) {
  EncoderWeights taken = take_weights(options, weights, [](const Tensor& tensor) { return tensor.shape(); });
  for (const auto& [name, tensor] : named_parameters(options, taken)) {
    check(tensor.type() == ElementType::kFloat32, Status::kMismatch, "tensor ", name, " is not of type float32");
  }
  return taken;
}

std::vector<std::pair<std::string, Tensor>> named_parameters(const EncoderOptions& options, const EncoderWeights& weights) {
  std::vector<std::pair<std::string, Tensor>> named;
  visit_weights(options, weights, weights.pooler.weight.defined(),
                [&](const std::string& name, const std::vector<int64_t>&, const Tensor& parameter) { named.emplace_back(name, parameter); });
  return named;
}

int64_t parameter_count(const EncoderOptions& options, bool with_pooler) {
  EncoderWeights names;
  names.layers.resize(static_cast<size_t>(options.num_hidden_layers));
  int64_t sum = 0;
  visit_weights(options, names, with_pooler, [&](const std::string&, const std::vector<int64_t>& shape, Tensor&) {
    sum += std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  });
  return sum;
}

TensorMap random_weights(const EncoderOptions& options, uint64_t seed, bool with_pooler) {
  check_options(options);
  EncoderWeights names;
  names.layers.resize(static_cast<size_t>(options.num_hidden_layers));
  TensorMap weights;
  uint64_t number = 0;
  visit_weights(options, names, with_pooler, [&](const std::string& name, const std::vector<int64_t>& shape, Tensor&) {
    Tensor tensor = Tensor::filled(shape, is_norm(name) && !is_bias(name) ? 1.0f : 0.0f);
    if (!is_norm(name) && !is_bias(name)) {
      Rng rng(seed, Purpose::kInitialise, 0, number);
      float* values = tensor.mutable_floats();
      for (int64_t i = 0; i < tensor.elements(); ++i) values[i] = static_cast<float>(options.initializer_range * rng.normal());
    }
    ++number;
    weights.emplace(name, std::move(tensor));
  });
  return weights;
}

std::vector<std::pair<std::string, std::vector<int64_t>>> mlm_head_shapes(const EncoderOptions& options) {
  const bool roberta = options.is_roberta();
  const std::string dense = roberta ? "lm_head.dense" : "cls.predictions.transform.dense";
  const std::string norm = roberta ? "lm_head.layer_norm" : "cls.predictions.transform.LayerNorm";
  const int64_t hidden = options.hidden_size;
  return {{dense + ".weight", {hidden, hidden}},
          {dense + ".bias", {hidden}},
          {norm + ".weight", {hidden}},
          {norm + ".bias", {hidden}},
          {roberta ? "lm_head.bias" : "cls.predictions.bias", {options.vocab_size}}};
}

}  // namespace contrastive::encoder
