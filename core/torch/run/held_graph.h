// The graph of one loss, held so that it dies without memory: LibTorch's deleter of a node puts the
// nodes behind it into a vector, where nothing may be thrown, so an allocation that fails there
// ends the process. With every node held from outside it finds none to put there. What fails while
// the graph is still made is not covered (tests/faults/RESULTS.md).
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
  ~HeldGraph();  // takes the graph apart: of no use to anybody from here on

  // Once, with the loss that is to be differentiated. To be declared before the tensors of the
  // graph, so that they die first.
  void hold(const at::Tensor& loss);

 private:
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes_;
};

}  // namespace contrastive::run
