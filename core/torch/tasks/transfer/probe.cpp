#include "core/torch/tasks/transfer/probe.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/cpu/kernels.h"
#include "core/cpu/training.h"
#include "core/torch/optim/optimizer_list.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kScoredTogether =
    256;  // rows whose hidden states are in memory while a data set is scored

const cpu::TrainingKernels& kernels() { return *cpu::kernels().training; }

void sigmoid(std::vector<float>& x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = 1 / (1 + std::exp(-x[i]));
}

std::vector<const float*> row_pointers(const float* first, int64_t rows, int64_t width) {
  std::vector<const float*> pointers;
  for (int64_t i = 0; i < rows; ++i) pointers.push_back(first + i * width);
  return pointers;
}

// Converts probabilities p, in place, to the gradient of the mean loss with respect to the logits.
void cross_entropy_gradient(float* p, int64_t classes, int64_t label, float share) {
  p[label] -= 1;
  for (int64_t c = 0; c < classes; ++c) p[c] *= share;
}
void squared_error_gradient(float* p, int64_t classes, const float* target, float share) {
  float inner = 0;  // of p with the gradient of the loss with respect to p
  const float scale = 2 * share / static_cast<float>(classes);
  for (int64_t c = 0; c < classes; ++c) inner += p[c] * (p[c] - target[c]) * scale;
  for (int64_t c = 0; c < classes; ++c) p[c] *= (p[c] - target[c]) * scale - inner;
}

}  // namespace

ProbeData ProbeData::chosen(const std::vector<int64_t>& examples) const {
  ProbeData result{width, classes, {}, {}, {}};
  for (const int64_t i : examples) {
    result.rows.push_back(rows[i]);
    if (!labels.empty()) result.labels.push_back(labels[i]);
    if (!targets.empty()) result.targets.push_back(targets[i]);
  }
  return result;
}

void softmax_rows(float* logits, int64_t rows, int64_t classes) {
  for (int64_t row = 0; row < rows; ++row, logits += classes) {
    const float largest = *std::max_element(logits, logits + classes);
    float sum = 0;
    for (int64_t c = 0; c < classes; ++c) sum += logits[c] = std::exp(logits[c] - largest);
    for (int64_t c = 0; c < classes; ++c) logits[c] /= sum;
  }
}

Probe::Probe(const ProbeShape& shape, const optim::OptimizerOptions& optimizer, double lr,
             uint64_t seed)
    : shape_(shape), lr_(lr), seed_(seed) {
  int64_t total = 0;
  const auto add_layer = [&](int64_t in, int64_t out) {
    layers_.push_back({in, out, total, total + in * out});
    total += in * out + out;
  };
  if (shape.hidden > 0) add_layer(shape.in, shape.hidden);
  add_layer(shape.hidden > 0 ? shape.hidden : shape.in, shape.out);

  // One tensor, so that the optimiser updates everything in one pass.
  const at::NoGradGuard no_grad;
  weights_ = at::zeros({total});
  weight_ = weights_.mutable_data_ptr<float>();
  Rng rng(seed, Purpose::kInitialise);
  for (const Layer& layer : layers_) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.in));
    for (int64_t i = layer.weight; i < layer.bias + layer.out; ++i)
      weight_[i] = static_cast<float>(bound * (2 * rng.uniform() - 1));
  }
  weights_.set_requires_grad(true);
  weights_.mutable_grad() = at::zeros({total});
  gradient_ = weights_.mutable_grad().mutable_data_ptr<float>();
  optimizer_ = optim::make_optimizer(optimizer, {{"probe", weights_, true}});
}

std::vector<float> Probe::weights() const { return {weight_, weight_ + weights_.numel()}; }

void Probe::set_weights(const std::vector<float>& weights) {
  check(static_cast<int64_t>(weights.size()) == weights_.numel(), Status::kMismatch, weights.size(),
        " weights for a classifier of ", weights_.numel());
  std::copy(weights.begin(), weights.end(), weight_);
}

void Probe::forward(const Layer& layer, const float* const* rows, int64_t count, float* y) const {
  kernels().row_products(
      {count, layer.in, layer.out, rows, weight_ + layer.weight, weight_ + layer.bias, y});
}

void Probe::backward(const Layer& layer, const float* const* rows, int64_t count,
                     const float* grad_y) {
  kernels().weight_gradient({count, layer.in, layer.out, rows, grad_y, gradient_ + layer.weight});
  kernels().column_sums(grad_y, count, layer.out, layer.out, gradient_ + layer.bias);
}

void Probe::train(const ProbeData& data, const std::vector<int64_t>& order, int64_t batch_size) {
  const auto total = static_cast<int64_t>(order.size());
  for (int64_t begin = 0; begin < total; begin += batch_size)
    step(data, order.data() + begin, std::min(batch_size, total - begin));
}

void Probe::step(const ProbeData& data, const int64_t* examples, int64_t count) {
  rows_.resize(count);
  for (int64_t i = 0; i < count; ++i) rows_[i] = data.rows[examples[i]];
  logits_.resize(count * shape_.out);
  if (deep()) {
    activations_.resize(count * shape_.hidden);
    forward(layers_[0], rows_.data(), count, activations_.data());
    drop(count);
    sigmoid(activations_, count * shape_.hidden);
    activations_of_ = row_pointers(activations_.data(), count, shape_.hidden);
  }
  const Layer& last = layers_.back();
  const float* const* inputs = deep() ? activations_of_.data() : rows_.data();
  forward(last, inputs, count, logits_.data());

  softmax_rows(logits_.data(), count, shape_.out);
  const float share = 1 / static_cast<float>(count);
  for (int64_t i = 0; i < count; ++i) {
    float* row = &logits_[i * shape_.out];
    if (data.targets.empty()) {
      cross_entropy_gradient(row, shape_.out, data.labels[examples[i]], share);
    } else {
      squared_error_gradient(row, shape_.out, data.targets[examples[i]], share);
    }
  }

  backward(last, inputs, count, logits_.data());
  if (deep()) {
    hidden_gradient(logits_.data(), count);
    backward(layers_[0], rows_.data(), count, grad_hidden_.data());
  }
  optimizer_->step(lr_);
}

// What enters the sigmoid, with masks drawn for this step and place in the batch.
void Probe::drop(int64_t count) {
  if (shape_.dropout == 0) return;
  const int64_t words = (shape_.hidden + 63) / 64;
  const auto threshold = static_cast<uint32_t>(shape_.dropout * 4294967296.0);
  const Rng stream(seed_, Purpose::kDropout, static_cast<uint64_t>(optimizer_->steps()));
  kept_.resize(count * words);
  for (int64_t i = 0; i < count; ++i)
    kernels().draw_mask(stream.key(), static_cast<uint64_t>(i), threshold, shape_.hidden,
                        &kept_[i * words]);
  kernels().drop(activations_.data(), count, shape_.hidden,
                 {kept_.data(), words, static_cast<float>(1 / (1 - shape_.dropout))});
}

// grad_hidden_ = (grad_out W) s (1 - s), through the dropout.
void Probe::hidden_gradient(const float* grad_out, int64_t count) {
  const int64_t hidden = shape_.hidden, words = (hidden + 63) / 64;
  const float* weight = weight_ + layers_[1].weight;
  grad_hidden_.assign(count * hidden, 0.0f);
  for (int64_t i = 0; i < count; ++i) {
    float* grad = &grad_hidden_[i * hidden];
    for (int64_t o = 0; o < shape_.out; ++o) {
      for (int64_t h = 0; h < hidden; ++h)
        grad[h] += grad_out[i * shape_.out + o] * weight[o * hidden + h];
    }
    const float* s = &activations_[i * hidden];
    for (int64_t h = 0; h < hidden; ++h) grad[h] *= s[h] * (1 - s[h]);
  }
  if (shape_.dropout > 0) {
    kernels().drop(grad_hidden_.data(), count, hidden,
                   {kept_.data(), words, static_cast<float>(1 / (1 - shape_.dropout))});
  }
}

std::vector<float> Probe::logits(const std::vector<const float*>& rows) const {
  const auto total = static_cast<int64_t>(rows.size());
  std::vector<float> result(rows.size() * static_cast<size_t>(shape_.out)), states;
  for (int64_t begin = 0; begin < total; begin += kScoredTogether) {
    const int64_t count = std::min(kScoredTogether, total - begin);
    float* y = &result[begin * shape_.out];
    if (!deep()) {
      forward(layers_[0], rows.data() + begin, count, y);
      continue;
    }
    states.resize(count * shape_.hidden);
    forward(layers_[0], rows.data() + begin, count, states.data());
    sigmoid(states, count * shape_.hidden);
    forward(layers_[1], row_pointers(states.data(), count, shape_.hidden).data(), count, y);
  }
  return result;
}

std::vector<int64_t> Probe::predict(const std::vector<const float*>& rows) const {
  const std::vector<float> all = logits(rows);
  std::vector<int64_t> classes;
  for (auto row = all.begin(); row != all.end(); row += shape_.out)
    classes.push_back(std::max_element(row, row + shape_.out) - row);
  return classes;
}

}  // namespace contrastive::eval
