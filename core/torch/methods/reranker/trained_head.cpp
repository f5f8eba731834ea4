#include "core/torch/methods/reranker/trained_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/tanh.h>

#include <algorithm>
#include <numeric>

#include "core/torch/tensors/products.h"
#include "core/torch/nn/torch_activation.h"
#include "core/torch/nn/dropout.h"

namespace contrastive::methods {

TrainedHead::TrainedHead(const io::Classifier& head, const encoder::Architecture& shape,
                         bool dropout, uint64_t seed)
    : classifier_(head), shape_(shape), seed_(seed) {
  if (dropout) dropout_ = head.head.dropout < 0 ? shape.hidden_dropout_prob : head.head.dropout;
  for (auto& [name, tensor] : classifier_.weights) {
    tensor = tensor.clone();
    parameters_.push_back(
        {name, tensors::to_torch(tensor).set_requires_grad(true), optim::decays_by_name(name)});
  }
}

at::Tensor TrainedHead::drop(const at::Tensor& x, const PackedViews* views, int64_t site) const {
  if (dropout_ == 0 || views == nullptr) return x;
  nn::Dropout dropout;
  dropout.hidden = dropout_;
  dropout.seed = seed_;
  dropout.epoch = views->epoch();
  dropout.examples = views->streams();
  std::vector<int64_t> rows(static_cast<size_t>(x.size(0)) + 1);  // every text has one row
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return nn::drop_hidden(x, rows, dropout, site);
}

at::Tensor TrainedHead::linear(const at::Tensor& x, const char* weight, const char* bias) const {
  const auto find =
      [&](const char* name) {  // they stay on the CPU, where the delivered model applies them
        const auto found =
            std::find_if(parameters_.begin(), parameters_.end(),
                         [&](const optim::Parameter& each) { return each.name == name; });
        return found == parameters_.end() ? at::Tensor() : found->tensor.to(x.device());
      };
  return tensors::linear(x, find(weight), find(bias));
}

at::Tensor TrainedHead::operator()(const at::Tensor& pooled, const PackedViews* views) const {
  const encoder::ClassificationHead& head = classifier_.head;
  const int64_t site =
      nn::output_site(shape_.num_hidden_layers - 1) + 1;  // behind those of the last layer
  at::Tensor x = pooled;
  if (!head.activation.empty()) {
    if (head.drops_first) x = drop(x, views, site);
    x = linear(x, "classifier.dense.weight", "classifier.dense.bias");
    if (head.activation == "tanh") x = at::tanh(x);
    else
      x = nn::activate(head.activation == "relu" ? nn::Activation::kRelu : nn::Activation::kGeluErf,
                       x);
  }
  if (head.norm) {
    at::Tensor weight, bias;
    for (const optim::Parameter& each : parameters_) {
      if (each.name == "classifier.LayerNorm.weight") weight = each.tensor.to(x.device());
      if (each.name == "classifier.LayerNorm.bias") bias = each.tensor.to(x.device());
    }
    x = at::layer_norm(x.to(at::kFloat), {shape_.hidden_size}, weight, bias, shape_.layer_norm_eps);
  }
  return linear(drop(x, views, site + 1), "classifier.out_proj.weight", "classifier.out_proj.bias");
}

io::Classifier TrainedHead::copy(const tensors::TorchTensorMap& weights) const {
  io::Classifier result = classifier_;
  for (auto& [name, tensor] : result.weights) {
    const auto given = weights.find(name);
    tensor = given == weights.end()
                 ? tensor.clone()
                 : tensors::from_torch(given->second.detach().to(at::kCPU, at::kFloat)).clone();
  }
  return result;
}

}  // namespace contrastive::methods
