// Holds the graph of one loss, so that it is freed without an allocation. LibTorch's deleter of a
// node collects the nodes after it in a vector, in a destructor, where a failed allocation ends the
// process. If every node is held from outside, there is nothing to collect. A failure while the
// graph is still being built is not covered (tests/faults/RESULTS.md).
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace torch::autograd {
struct Node;
}

namespace contrastive::run {

class HeldGraph {
 public:
  HeldGraph() = default;
  HeldGraph(const HeldGraph&) = delete;
  HeldGraph& operator=(const HeldGraph&) = delete;
  ~HeldGraph();  // destroys the graph, which cannot be used any more

  // Call once, with the loss that will be differentiated. Declare this object before the tensors of
  // the graph, so that they are destroyed first.
  void hold(const at::Tensor& loss);

 private:
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes_;
};

}  // namespace contrastive::run
