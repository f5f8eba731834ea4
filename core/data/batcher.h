// The order of the examples: one seeded permutation an epoch, cut into batches. Indices only; texts
// are the dataset's. Where examples that share a text are kept apart, the order gives way to that.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/shared_texts.h"

namespace contrastive::data {

struct BatcherOptions {
  int64_t examples = 0;
  int64_t batch_size = 0;  // larger than `examples`: one batch of all of them
  uint64_t seed = 1;
  bool drop_last = false;  // a last batch that is not full is left out
  bool shuffle = true;
  uint64_t stream = 0;  // of several datasets that one run permutes: which of them
  std::shared_ptr<const SharedTexts> apart =
      {};  // no two examples of a batch share one of these; null: they may
};

int64_t batches_per_epoch(
    const BatcherOptions& options);  // kArgument without examples or batch size

class Batcher {
 public:
  explicit Batcher(const BatcherOptions& options);  // kArgument without examples or batch size

  std::vector<int64_t> next();  // of the present epoch, or the first of the next one
  int64_t batches_per_epoch() const { return batches_per_epoch_; }
  int64_t epoch() const {
    return epoch_;
  }  // of the batch that next() gave last; 0 before the first
  int64_t position() const { return position_; }  // batches given in this epoch
  int64_t left_out() const {
    return left_out_;
  }  // examples of the present epoch that could not be kept apart
  // Goes on after `position` batches of `epoch`: what a permutation holds depends on seed and epoch
  // only.
  void restore(int64_t epoch, int64_t position);

 private:
  void permute();

  BatcherOptions options_;
  int64_t batches_per_epoch_ = 0;
  int64_t epoch_ = 0;
  int64_t position_ = 0;
  int64_t left_out_ = 0;
  std::vector<int64_t> order_;  // [examples] batch after batch
  std::vector<int64_t> ends_;   // [batches] where each ends in the order
};

}  // namespace contrastive::data
