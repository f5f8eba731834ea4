// The classification head of a reranker that trains: what core/model/cross_encoder computes, as
// LibTorch's operations in the memory that it reads.
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
  // A copy of `head`, which trains from its weights on. `dropout`: whether the head's own is in
  // force.
  TrainedHead(const io::Classifier& head, const encoder::Architecture& shape, bool dropout,
              uint64_t seed);

  // [texts, labels]: the logits of the pooled vectors [texts, hidden] of `views`, on their device.
  // Without `views` in evaluation mode.
  at::Tensor operator()(const at::Tensor& pooled, const PackedViews* views) const;

  const io::Classifier& classifier() const {
    return classifier_;
  }  // its weights are those that train
  const std::vector<optim::Parameter>& parameters() const { return parameters_; }
  // A copy; `weights`, by the names of parameters(), stand in the place of what these are now.
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
