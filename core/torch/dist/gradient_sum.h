// The gradients of all ranks added up. They travel in flat buckets, each as soon as the backward
// pass has filled it. Every element is summed in the order of the ranks, whatever bucket it is in:
// a run gives the same bytes for the same number of ranks, however they are started.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/torch/dist/world.h"

namespace contrastive::dist {

class GradientSum {
 public:
  static constexpr int64_t kBucket = int64_t{1} << 21;  // numbers

  // Leaves in float32, the same on all ranks and in the same order. Hooks stay on them while this
  // object lives.
  GradientSum(World& world, std::vector<at::Tensor> parameters, int64_t bucket = kBucket);
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  // The backward pass that begins now is the last one that adds to the gradients: full buckets may
  // go.
  void begin(const std::string& doing);
  // Sends the rest, waits for all, and puts the sums where the gradients were; a gradient that no
  // rank has stays undefined. begin() need not have been called.
  void finish(const std::string& doing);

 private:
  struct Bucket;
  class Hook;
  void filled(size_t parameter);
  void send_next();

  World& world_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::unique_ptr<Bucket>> buckets_;  // in the order in which they go
  std::vector<size_t> bucket_of_;                 // of each parameter
  int64_t most_;
  size_t sent_ = 0;
  bool begun_ = false;
  std::string doing_;

  // After the first update: the order in which gradients came on rank 0, which the buckets then
  // follow.
  void arrange(const std::vector<size_t>& order);
  std::vector<size_t> came_;
  bool arranged_ = false;
};

}  // namespace contrastive::dist
