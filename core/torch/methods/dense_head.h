// A stack of dense layers between sentence vectors and a loss: SG-OPT's projection head, SimCSE's
// MLP. Tensors in, tensors out. The same layers are also available as modules for the saved model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/model_folder.h"
#include "core/torch/methods/method.h"
#include "core/torch/nn/dense.h"

namespace contrastive::methods {

struct DenseLayer {
  int64_t in = 0;
  int64_t out = 0;
  std::string activation;  // named as in io::DenseModule
};

// Returns a copy on the CPU.
io::DenseModule to_module(const nn::Dense& layer);

class DenseHead {
 public:
  DenseHead() = default;  // no layers: x itself
  // Weights from N(0, deviation), biases 0, as a function of the seed. Parameters are named
  // "<name>.0.weight", "<name>.0.bias", ...
  DenseHead(const std::string& name, const std::vector<DenseLayer>& layers, double deviation,
            uint64_t seed, const c10::Device& device);

  at::Tensor operator()(const at::Tensor& x) const;  // [n, first in] -> [n, last out]
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Returns copies on the CPU. `weights`, by the names of parameters(), replace the current ones.
  std::vector<io::DenseModule> modules(const tensors::TorchTensorMap& weights = {}) const;

 private:
  std::vector<nn::Dense> layers_;
  std::vector<Parameter> parameters_;
};

}  // namespace contrastive::methods
