// Adds up the gradients of all ranks. They are sent in flat buckets, each as soon as the backward
// pass has filled it. Every element is summed in the order of the ranks, whatever bucket it is in,
// so a run gives the same bytes for the same number of ranks, however they are started.
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
  static constexpr int64_t kBucket = int64_t{1} << 21;  // elements

  // Float32 leaves, the same on all ranks and in the same order. They have hooks during the
  // lifetime of this object.
  GradientSum(World& world, std::vector<at::Tensor> parameters, int64_t bucket = kBucket);
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  // Call before the last backward pass that adds to the gradients: full buckets may be sent from
  // then on.
  void begin(const std::string& doing);
  // Sends the rest, waits for all ranks, and replaces the gradients by the sums. A gradient that no
  // rank has stays undefined. begin() need not have been called.
  void finish(const std::string& doing);

 private:
  struct Bucket;
  class Hook;
  void filled(size_t parameter);
  void send_next();

  World& world_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::unique_ptr<Bucket>> buckets_;  // in the order in which they are sent
  std::vector<size_t> bucket_of_;                 // of each parameter
  int64_t most_;
  size_t sent_ = 0;
  bool begun_ = false;
  std::string doing_;

  // After the first update the buckets follow the order in which gradients arrived on rank 0.
  void arrange(const std::vector<size_t>& order);
  std::vector<size_t> came_;
  bool arranged_ = false;
};

}  // namespace contrastive::dist
