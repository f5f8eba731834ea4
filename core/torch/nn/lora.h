// Low-rank adapters (LoRA; Hu et al., 2021) for the matrices of an encoder's layers: y = W x + b +
// scale B A dropout(x). A and B train. W and b take no gradient, so their gradients and an
// optimiser's moments need no memory. core/io/adapter_paths.h says which module of a checkpoint an
// adapter belongs to.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// The adapter of one linear layer; the tensors are undefined without an adapter.
struct LinearAdapter {
  at::Tensor a;  // [rank, in], a leaf
  // [rows of the module, rank], a leaf; the linear uses `rows` of them from `first_row` on.
  at::Tensor b;
  // Above 0 in a module that contains several linears, which share A, and B as a whole.
  int64_t first_row = 0;
  int64_t rows = 0;
  double scale = 1;
  int64_t number = 0;  // of the module in its layer: each module has its own dropout masks

  bool defined() const { return a.defined(); }
  at::Tensor up() const;  // the linear's rows of b, with a graph
};

constexpr size_t kAdapterPlaces = 7;

struct LayerAdapters {
  LinearAdapter query, key, value, attention_output, intermediate, output, gate;

  // The adapters that the CPU's kernels train come first.
  std::vector<const LinearAdapter*> all() const {
    return {&query, &key, &value, &attention_output, &intermediate, &output, &gate};
  }
  // Finds an adapter by the name of its linear in core/encoder/weights.h, such as
  // "attention.self.query"; kInternal for another name.
  LinearAdapter& named(const std::string& name);
  // The trainable tensors, each once.
  std::vector<at::Tensor> parameters() const;
};

// y + scale B A dropout(x), differentiable, on any device. `layer`: the layer, for the dropout.
at::Tensor adapted(const LinearAdapter& adapter, const at::Tensor& y, const at::Tensor& x,
                   const DropoutMasks& masks, int64_t layer);

}  // namespace contrastive::nn
