// Low-rank adapters (LoRA; Hu et al., 2021) beside the matrices of an encoder's layers: y = W x + b
// + scale B A dropout(x). W and b take no gradient, so that neither it nor an optimiser's moments
// need memory; A and B train. Which module of a checkpoint an adapter belongs to is
// core/io/adapter_paths.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// What stands beside one linear; undefined where nothing does.
struct LinearAdapter {
  at::Tensor a;  // [rank, in], a leaf
  at::Tensor
      b;  // [rows of the module, rank], a leaf: the linear's own are `rows` from `first_row` on
  int64_t first_row =
      0;  // above 0 in a module that holds several linears, which share A, and B as a whole
  int64_t rows = 0;
  double scale = 1;
  int64_t number = 0;  // of the module in its layer: its dropout's masks are its own

  bool defined() const { return a.defined(); }
  at::Tensor up() const;  // the linear's rows of b, with a graph
};

constexpr size_t kAdapterPlaces = 7;

struct LayerAdapters {
  LinearAdapter query, key, value, attention_output, intermediate, output, gate;

  // In this order: those that the CPU's kernels train come first.
  std::vector<const LinearAdapter*> all() const {
    return {&query, &key, &value, &attention_output, &intermediate, &output, &gate};
  }
  // By the name that core/encoder/weights.h has in a layer, "attention.self.query"; kInternal for
  // another.
  LinearAdapter& named(const std::string& name);
  // What trains, each once.
  std::vector<at::Tensor> parameters() const;
};

// y + scale B A dropout(x), differentiable, on any device. `layer`: whose dropout this is.
at::Tensor adapted(const LinearAdapter& adapter, const at::Tensor& y, const at::Tensor& x,
                   const DropoutMasks& masks, int64_t layer);

}  // namespace contrastive::nn
