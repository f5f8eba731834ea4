// A stack of dense layers between sentence vectors and a loss: SG-OPT's projection head, SimCSE's
// MLP. Tensors in, tensors out; and the same layers as modules for the saved model.
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
  std::string activation;  // as io::DenseModule names them
};

// On the CPU, in memory of its own.
io::DenseModule to_module(const nn::Dense& layer);

class DenseHead {
 public:
  DenseHead() = default;  // no layers: x itself
  // Weights from N(0, deviation), biases 0, a function of the seed. Parameters are named
  // "<name>.0.weight", "<name>.0.bias", ...
  DenseHead(const std::string& name, const std::vector<DenseLayer>& layers, double deviation,
            uint64_t seed, const c10::Device& device);

  at::Tensor operator()(const at::Tensor& x) const;  // [n, first in] -> [n, last out]
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // On the CPU, in memory of their own. `weights`, by the names of parameters(), stand for what
  // these are now.
  std::vector<io::DenseModule> modules(const tensors::TorchTensorMap& weights = {}) const;

 private:
  std::vector<nn::Dense> layers_;
  std::vector<Parameter> parameters_;
};

}  // namespace contrastive::methods
