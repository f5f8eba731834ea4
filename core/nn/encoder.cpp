#include "core/nn/encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/nn/cpu_inference.h"
#include "core/nn/layer.h"
#include "core/nn/training/layer.h"
#include "core/nn/training/nodes.h"
#include "core/runtime/openmp.h"

namespace contrastive::nn {

namespace {

void check_options(const EncoderOptions& o) {
  check(o.num_attention_heads > 0 && o.hidden_size > 0 && o.hidden_size % o.num_attention_heads == 0, Status::kMismatch,
        "hidden_size ", o.hidden_size,
        " is not a multiple of num_attention_heads ", o.num_attention_heads);
  check(o.num_hidden_layers >= 1, Status::kMismatch, "num_hidden_layers is ", o.num_hidden_layers, ": at least 1 is needed");
  check(o.max_tokens() >= 2, Status::kMismatch, "max_position_embeddings ", o.max_position_embeddings, " leaves no room for a text");
}

bool is_norm(const std::string& name) { return name.find("LayerNorm") != std::string::npos; }
bool is_bias(const std::string& name) { return name.size() > 5 && name.compare(name.size() - 5, 5, ".bias") == 0; }

TrainingBatchPtr shared_batch(const EncoderOptions& options, const PackedTokens& tokens, const Dropout& dropout) {
  return std::make_shared<TrainingBatch>(TrainingBatch{options, tokens.boundaries(), dropout});
}

// A thread's share of a layer must outweigh the barriers between its parts, which on a crowded machine cost far more than they do alone.
int worthwhile_threads(const EncoderOptions& o, int64_t tokens, int most_threads) {
  constexpr double kLeastShare = 1e6;  // floating-point operations, about 10 us
  const auto width = static_cast<double>(o.hidden_size), inner = static_cast<double>(o.intermediate_size);
  const double of_layer = static_cast<double>(tokens) * 4 * width * (2 * width + inner);
  return static_cast<int>(std::clamp(of_layer / kLeastShare, 1.0, static_cast<double>(std::max(most_threads, 1))));
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options, const std::map<std::string, at::Tensor>& weights) : options_(options) {
  check_options(options);
  weights_.layers.resize(static_cast<size_t>(options.num_hidden_layers));
  const bool with_pooler = weights.count("pooler.dense.weight") != 0;
  visit_weights(options_, weights_, with_pooler, [&](const std::string& name, const std::vector<int64_t>& shape, at::Tensor& parameter) {
    const auto found = weights.find(name);
    check(found != weights.end(), Status::kNotFound, "the encoder's tensor ", name, " is missing");
    check(found->second.sizes() == at::IntArrayRef(shape), Status::kMismatch, "tensor ", name, " has the shape ", found->second.sizes(),
        "; the configuration asks for ",
          at::IntArrayRef(shape));
    parameter = found->second.contiguous();
  });
}

Encoder Encoder::random(const EncoderOptions& options, uint64_t seed, bool with_pooler) {
  check_options(options);
  EncoderWeights names;
  names.layers.resize(static_cast<size_t>(options.num_hidden_layers));
  std::map<std::string, at::Tensor> weights;
  uint64_t number = 0;
  visit_weights(options, names, with_pooler, [&](const std::string& name, const std::vector<int64_t>& shape, at::Tensor&) {
    at::Tensor tensor = is_norm(name) && !is_bias(name) ? at::ones(shape, at::kFloat) : at::zeros(shape, at::kFloat);
    if (!is_norm(name) && !is_bias(name)) {
      Rng rng(seed, Purpose::kInitialise, 0, number);
      float* values = tensor.mutable_data_ptr<float>();
      for (int64_t i = 0; i < tensor.numel(); ++i) values[i] = static_cast<float>(options.initializer_range * rng.normal());
    }
    ++number;
    weights.emplace(name, std::move(tensor));
  });
  return Encoder(options, weights);
}

bool Encoder::has_cpu_kernels() const { return device().is_cpu() && precision() == at::kFloat; }
bool Encoder::trains_on_cpu_kernels() const { return has_cpu_kernels() && !at::autocast::is_autocast_enabled(at::kCPU); }

std::vector<std::pair<std::string, at::Tensor>> Encoder::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  visit_weights(options_, weights_, has_pooler(),
                [&](const std::string& name, const std::vector<int64_t>&, const at::Tensor& parameter) { named.emplace_back(name, parameter); });
  return named;
}

void Encoder::to(const c10::Device& device, c10::ScalarType precision) {
  visit_weights(options_, weights_, has_pooler(),
                [&](const std::string&, const std::vector<int64_t>&, at::Tensor& parameter) {
                  parameter = parameter.detach().to(device, precision);
                });
}

void Encoder::set_requires_grad(bool wanted) {
  for (auto& [name, parameter] : named_parameters()) parameter.set_requires_grad(wanted);
}

Encoder Encoder::clone() const {
  Encoder copy(*this);
  visit_weights(copy.options_, copy.weights_, has_pooler(),
                [](const std::string&, const std::vector<int64_t>&, at::Tensor& parameter) { parameter = parameter.detach().clone(); });
  return copy;
}

at::Tensor Encoder::embed(const PackedTokens& tokens, const Dropout& dropout) const {
  check_tokens(options_, tokens);
  if (trains_on_cpu_kernels()) return train_embedding(shared_batch(options_, tokens, dropout), weights_.embeddings, tokens);
  return embed_tokens(options_, weights_.embeddings, tokens, dropout);
}

std::vector<at::Tensor> Encoder::run_layers(const at::Tensor& embedded, const PackedTokens& tokens, const Dropout& dropout) const {
  std::vector<at::Tensor> states{embedded};
  if (trains_on_cpu_kernels() && embedded.scalar_type() == at::kFloat) {
    const TrainingBatchPtr batch = shared_batch(options_, tokens, dropout);
    for (size_t i = 0; i < weights_.layers.size(); ++i) {
      states.push_back(train_layer(batch, weights_.layers[i], static_cast<int64_t>(i), states.back(), checkpointing_));
    }
    return states;
  }
  const auto layout = std::make_shared<const PaddedLayout>(tokens.boundaries(), embedded.device());
  const auto masks = std::make_shared<const DropoutMasks>(layout->offsets(), dropout, options_.num_hidden_layers, options_.num_attention_heads,
                                                          options_.hidden_size, embedded.device());
  for (size_t i = 0; i < weights_.layers.size(); ++i) {
    const auto layer = [options = options_, weights = weights_.layers[i], layout, masks, i](const at::Tensor& x) {
      return run_layer(options, weights, x, *layout, *masks, static_cast<int64_t>(i));
    };
    const std::vector<at::Tensor> inputs = layer_inputs(states.back(), weights_.layers[i]);
    states.push_back(checkpointing_ ? checkpointed(layer, inputs[0], {inputs.begin() + 1, inputs.end()}) : layer(states.back()));
  }
  return states;
}

at::Tensor Encoder::pool(const Pooling& pooling, const std::vector<at::Tensor>& states, const PackedTokens& tokens, const uint8_t* keep) const {
  const Reduce reduce = pooling.reduce == Reduce::kClsPooler ? Reduce::kCls : pooling.reduce;
  at::Tensor sum;
  for (const int64_t layer : pooling.layers) {
    const at::Tensor reduced = reduce_tokens(reduce, states.at(static_cast<size_t>(layer)), tokens.boundaries(), keep);
    sum = sum.defined() ? sum + reduced : reduced;
  }
  if (pooling.layers.size() > 1) sum = sum / static_cast<double>(pooling.layers.size());
  if (pooling.reduce != Reduce::kClsPooler) return sum;
  check(has_pooler(), Status::kArgument, "pooling cls-pooler: the checkpoint has no pooler.dense; use cls or mean");
  return at::tanh(at::linear(sum.to(precision()), weights_.pooler.weight, weights_.pooler.bias)).to(at::kFloat);
}

void Encoder::infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings, const uint8_t* keep, float* out, int most_threads) const {
  infer(tokens, poolings, std::vector<const uint8_t*>(poolings.size(), keep), out, most_threads);
}

void Encoder::infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings, const std::vector<const uint8_t*>& keeps, float* out,
                    int most_threads) const {
  TORCH_CHECK(keeps.size() == poolings.size(), "one list of kept tokens is needed for each pooling");
  const c10::NoGradGuard no_grad;
  if (has_cpu_kernels()) return infer_on_cpu(tokens, poolings, keeps, out, most_threads);
  runtime::settle_openmp();
  const std::vector<at::Tensor> states = run_layers(embed(tokens), tokens);
  std::vector<at::Tensor> vectors;
  for (size_t i = 0; i < poolings.size(); ++i) vectors.push_back(pool(poolings[i], states, tokens, keeps[i]));
  const at::Tensor joined = at::cat(vectors, 1).to(at::kCPU, at::kFloat).contiguous();
  std::copy_n(joined.const_data_ptr<float>(), joined.numel(), out);
}

void Encoder::infer_on_cpu(const PackedTokens& tokens, const std::vector<Pooling>& poolings, const std::vector<const uint8_t*>& keeps, float* out,
                           int most_threads) const {
  const int64_t hidden = options_.hidden_size, width = hidden * static_cast<int64_t>(poolings.size());
  std::vector<int64_t> wanted;
  for (const Pooling& pooling : poolings) wanted.insert(wanted.end(), pooling.layers.begin(), pooling.layers.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::fill_n(out, tokens.texts * width, 0.0f);
  std::vector<float> reduced(static_cast<size_t>(tokens.texts * hidden));
  most_threads = worthwhile_threads(options_, tokens.tokens(), most_threads);
  run_on_cpu(options_, weights_, tokens, wanted, most_threads, [&](int64_t layer, const float* states) {
    for (size_t i = 0; i < poolings.size(); ++i) {
      const Pooling& pooling = poolings[i];
      const auto uses = std::count(pooling.layers.begin(), pooling.layers.end(), layer);
      if (uses == 0) continue;
      const Reduce reduce = pooling.reduce == Reduce::kClsPooler ? Reduce::kCls : pooling.reduce;
      reduce_tokens(reduce, states, hidden, tokens.offsets, tokens.texts, keeps[i], reduced.data());
      const float share = static_cast<float>(uses) / static_cast<float>(pooling.layers.size());
      for (int64_t text = 0; text < tokens.texts; ++text) {
        float* vector = out + text * width + static_cast<int64_t>(i) * hidden;
        for (int64_t h = 0; h < hidden; ++h) vector[h] += share * reduced[static_cast<size_t>(text * hidden + h)];
      }
    }
  });
  for (size_t i = 0; i < poolings.size(); ++i) {
    if (poolings[i].reduce != Reduce::kClsPooler) continue;
    check(has_pooler(), Status::kArgument, "pooling cls-pooler: the checkpoint has no pooler.dense; use cls or mean");
    std::vector<float> rows(reduced.size());
    const float* cls = out + static_cast<int64_t>(i) * hidden;
    for (int64_t text = 0; text < tokens.texts; ++text) std::copy_n(cls + text * width, hidden, rows.data() + text * hidden);
    dense_rows(rows.data(), tokens.texts, weights_.pooler.weight, weights_.pooler.bias, reduced.data());
    for (size_t r = 0; r < reduced.size(); ++r) {
      out[static_cast<int64_t>(r) / hidden * width + static_cast<int64_t>(i) * hidden + static_cast<int64_t>(r) % hidden] = std::tanh(reduced[r]);
    }
  }
}

}  // namespace contrastive::nn
