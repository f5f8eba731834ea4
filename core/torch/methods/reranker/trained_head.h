// The classification head of a reranker during training: computes the same as
// core/model/cross_encoder, with LibTorch's operations, on the same memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/io/classifier.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/optim/parameter.h"

namespace contrastive::methods {

class TrainedHead {
 public:
  // Copies `head` and trains from its weights. `dropout`: whether the head's own dropout is on.
  TrainedHead(const io::Classifier& head, const encoder::Architecture& shape, bool dropout,
              uint64_t seed);

  // [texts, labels]: the logits of the pooled vectors [texts, hidden] of `views`, on their device.
  // If `views` is null, in evaluation mode.
  at::Tensor operator()(const at::Tensor& pooled, const PackedViews* views) const;

  const io::Classifier& classifier() const {
    return classifier_;
  }  // its weights are those that train
  const std::vector<optim::Parameter>& parameters() const { return parameters_; }
  // Returns a copy; `weights`, by the names of parameters(), replace the current ones.
  io::Classifier copy(const tensors::TorchTensorMap& weights = {}) const;

 private:
  at::Tensor drop(const at::Tensor& x, const PackedViews* views, int64_t site) const;
  at::Tensor linear(const at::Tensor& x, const char* weight, const char* bias) const;

  io::Classifier classifier_;
  encoder::Architecture shape_;
  double dropout_ = 0;
  uint64_t seed_ = 1;
  std::vector<optim::Parameter> parameters_;
};

}  // namespace contrastive::methods
