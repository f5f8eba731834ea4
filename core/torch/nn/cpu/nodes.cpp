#include "core/torch/nn/cpu/nodes.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <optional>
#include <utility>

#include "core/torch/nn/cpu/embedding.h"
#include "core/torch/nn/cpu/layer.h"

namespace contrastive::nn {

namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

// The inputs of a node, and the checks that all nodes of this file need.
class Inputs {
 public:
  explicit Inputs(std::vector<at::Tensor> tensors) : tensors_(std::move(tensors)) {
    for (const at::Tensor& tensor : tensors_) versions_.push_back(version(tensor));
  }
  const at::Tensor& operator[](size_t i) const { return tensors_[i]; }
  const std::vector<at::Tensor>& all() const { return tensors_; }
  void check_unchanged() const {
    TORCH_CHECK(!c10::GradMode::is_enabled(),
                "the encoder's training path has no second derivative");
    TORCH_CHECK(!tensors_.empty(), "a second backward pass through a graph that was not retained");
    for (size_t i = 0; i < tensors_.size(); ++i) {
      TORCH_CHECK(version(tensors_[i]) == versions_[i], "input ", i,
                  " of a layer was changed between its forward and backward pass");
    }
  }
  void release() { tensors_.clear(); }

 private:
  static uint32_t version(const at::Tensor& tensor) {
    return tensor.defined() ? tensor._version() : 0;
  }

  std::vector<at::Tensor> tensors_;
  std::vector<uint32_t> versions_;
};

template <size_t kCount>
std::array<bool, kCount> wanted_of(const Node& node) {
  std::array<bool, kCount> wanted;
  for (size_t i = 0; i < kCount; ++i) wanted[i] = node.task_should_compute_output(i);
  return wanted;
}

struct EmbeddingBackward : Node {
  EmbeddingBackward(TrainingBatchPtr shared, const TorchEmbeddingWeights& block)
      : batch(std::move(shared)), weights(block), inputs(embedding_inputs(block)) {}
  std::string name() const override { return "EmbeddingBackward"; }
  variable_list apply(variable_list&& grads) override {
    inputs.check_unchanged();
    if (!grads[0].defined()) return variable_list(kEmbeddingInputs);
    return embedding_backward(*batch, weights, rows, kept, grads[0],
                              wanted_of<kEmbeddingInputs>(*this));
  }
  void release_variables() override {
    inputs.release();
    kept = {};
  }

  TrainingBatchPtr batch;
  TorchEmbeddingWeights weights;
  Inputs inputs;
  EmbeddingRows rows;
  EmbeddingActivations kept;
};

struct LayerBackward : Node {
  LayerBackward(TrainingBatchPtr shared, const TorchLayerWeights& layer_weights,
                const LayerAdapters& layer_adapters, int64_t number, const at::Tensor& x)
      : batch(std::move(shared)), weights(layer_weights), adapters(layer_adapters), layer(number),
        inputs(layer_inputs(x, layer_weights, layer_adapters)) {}
  std::string name() const override { return "LayerBackward"; }
  variable_list apply(variable_list&& grads) override {
    inputs.check_unchanged();
    if (!grads[0].defined()) return variable_list(kLayerInputs);
    const auto wanted = wanted_of<kLayerInputs>(*this);
    if (kept)
      return layer_backward(*batch, weights, adapters, layer, inputs[0], *kept, grads[0], wanted);
    LayerActivations again;
    layer_forward(*batch, weights, adapters, layer, inputs[0], &again);
    return layer_backward(*batch, weights, adapters, layer, inputs[0], again, grads[0], wanted);
  }
  void release_variables() override {
    inputs.release();
    kept.reset();
  }

  TrainingBatchPtr batch;
  TorchLayerWeights weights;
  LayerAdapters adapters;
  int64_t layer;
  Inputs inputs;
  std::optional<LayerActivations> kept;
};

// The autocast state of the forward pass; most callers have left autocast before the backward pass.
class AutocastState {
 public:
  explicit AutocastState(c10::DeviceType device)
      : device_(device), enabled_(at::autocast::is_autocast_enabled(device)),
        cached_(at::autocast::is_autocast_cache_enabled()) {
    if (enabled_) type_ = at::autocast::get_autocast_dtype(device);
  }
  c10::DeviceType device() const { return device_; }
  // `cached`: whether the weights' 16-bit copies are kept. A copy made without a graph must not be:
  // later uses of it would get no gradient.
  void enter(bool cached) const {
    at::autocast::set_autocast_enabled(device_, enabled_);
    if (enabled_) at::autocast::set_autocast_dtype(device_, type_);
    at::autocast::set_autocast_cache_enabled(cached && cached_);
  }

 private:
  c10::DeviceType device_;
  bool enabled_, cached_;
  c10::ScalarType type_ = at::kFloat;
};

// Enters `state` for a scope, with a separate autocast cache for a repetition.
class AutocastScope {
 public:
  AutocastScope(const AutocastState& state, bool repetition) : before_(state.device()) {
    if (repetition) at::autocast::increment_nesting();
    state.enter(repetition);
    repetition_ = repetition;
  }
  ~AutocastScope() {
    if (repetition_ && at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    before_.enter(true);
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastState before_;
  bool repetition_ = false;
};

struct CheckpointBackward : Node {
  CheckpointBackward(std::function<at::Tensor(const at::Tensor&)> repeated,
                     std::vector<at::Tensor> tensors)
      : function(std::move(repeated)), inputs(std::move(tensors)),
        autocast(inputs[0].device().type()) {}
  std::string name() const override { return "CheckpointBackward"; }
  variable_list apply(variable_list&& grads) override {
    inputs.check_unchanged();
    variable_list results(inputs.all().size());
    if (!grads[0].defined()) return results;
    const at::Tensor x = inputs[0].detach().set_requires_grad(task_should_compute_output(0));
    variable_list wanted;
    std::vector<size_t> places;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!task_should_compute_output(i)) continue;
      wanted.push_back(i == 0 ? x : inputs[i]);
      places.push_back(i);
    }
    const variable_list found =
        torch::autograd::grad({repeat(x)}, wanted, {grads[0]}, std::nullopt, false, true);
    for (size_t i = 0; i < places.size(); ++i) results[places[i]] = found[i];
    return results;
  }
  void release_variables() override { inputs.release(); }

  at::Tensor repeat(const at::Tensor& x) const {
    const c10::AutoGradMode with_grad(true);
    const AutocastScope scope(autocast, true);
    // Not a leaf, as in the forward pass: autocast would share the 16-bit copy of a leaf among its
    // uses.
    return function(x.view_as(x));
  }

  std::function<at::Tensor(const at::Tensor&)> function;
  Inputs inputs;
  AutocastState autocast;
};

// Whether a node is needed for these inputs, and if so, its edges.
bool needs_node(const std::vector<at::Tensor>& inputs) {
  return torch::autograd::compute_requires_grad(inputs);
}

at::Tensor connect(const std::shared_ptr<Node>& node, const std::vector<at::Tensor>& inputs,
                   const at::Tensor& output) {
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  torch::autograd::set_history(output, node);
  return output;
}

}  // namespace

at::Tensor train_embedding(const TrainingBatchPtr& batch, const TorchEmbeddingWeights& weights,
                           const PackedTokens& tokens) {
  auto node = std::make_shared<EmbeddingBackward>(batch, weights);
  node->rows = embedding_rows(batch->architecture, tokens);
  const at::Tensor output = embedding_forward(*batch, weights, node->rows, node->kept);
  return needs_node(node->inputs.all()) ? connect(node, node->inputs.all(), output) : output;
}

at::Tensor train_layer(const TrainingBatchPtr& batch, const TorchLayerWeights& weights,
                       const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                       bool checkpoint) {
  const at::Tensor state = x.contiguous();
  if (!needs_node(layer_inputs(state, weights, adapters)))
    return layer_forward(*batch, weights, adapters, layer, state, nullptr);
  auto node = std::make_shared<LayerBackward>(batch, weights, adapters, layer, state);
  if (!checkpoint) node->kept.emplace();
  const at::Tensor output =
      layer_forward(*batch, weights, adapters, layer, state, checkpoint ? nullptr : &*node->kept);
  return connect(node, node->inputs.all(), output);
}

at::Tensor checkpointed(const std::function<at::Tensor(const at::Tensor&)>& function,
                        const at::Tensor& x, const std::vector<at::Tensor>& weights) {
  std::vector<at::Tensor> inputs{x};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  if (!needs_node(inputs)) return function(x);
  auto node = std::make_shared<CheckpointBackward>(function, inputs);
  at::Tensor output;
  {
    const c10::NoGradGuard no_grad;
    const AutocastScope scope(node->autocast, false);
    output = function(x);
  }
  return connect(node, inputs, output);
}

}  // namespace contrastive::nn
