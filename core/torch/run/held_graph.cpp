#include "core/torch/run/held_graph.h"

#include <torch/csrc/autograd/function.h>

#include <unordered_set>

namespace contrastive::run {

HeldGraph::~HeldGraph() {
  for (const auto& node : nodes_) {
    for (torch::autograd::Edge& edge : node->next_edges()) edge.function.reset();
  }
}

void HeldGraph::hold(const at::Tensor& loss) {
  if (!loss.grad_fn()) return;
  std::unordered_set<const torch::autograd::Node*> known;
  const auto add = [&](const std::shared_ptr<torch::autograd::Node>& node) {
    if (node != nullptr && known.insert(node.get()).second) nodes_.push_back(node);
  };
  add(loss.grad_fn());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const std::shared_ptr<torch::autograd::Node> node = nodes_[i];  // a copy, because the vector
                                                                    // grows
    for (const torch::autograd::Edge& edge : node->next_edges()) add(edge.function);
  }
}

}  // namespace contrastive::run
