// The order of the examples: one seeded permutation for each epoch, cut into batches. Works on
// indices only; the dataset has the texts. If examples that share a text must not be in the same
// batch, the order is changed where necessary.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/shared_texts.h"

namespace contrastive::data {

struct BatcherOptions {
  int64_t examples = 0;
  int64_t batch_size = 0;  // larger than `examples`: one batch with all of them
  uint64_t seed = 1;
  bool drop_last = false;  // omit a last batch that is not full
  bool shuffle = true;
  uint64_t stream = 0;  // which of the datasets this is, if one run permutes several
  std::shared_ptr<const SharedTexts> apart =
      {};  // no two examples of a batch share one of these texts; null: they may
};

int64_t batches_per_epoch(
    const BatcherOptions& options);  // kArgument without examples or batch size

class Batcher {
 public:
  explicit Batcher(const BatcherOptions& options);  // kArgument without examples or batch size

  std::vector<int64_t> next();  // of the current epoch, or the first of the next one
  int64_t batches_per_epoch() const { return batches_per_epoch_; }
  int64_t epoch() const { return epoch_; }  // of the last batch from next(); 0 before the first
  int64_t position() const { return position_; }  // batches returned in this epoch
  int64_t left_out() const {
    return left_out_;
  }  // the examples of the current epoch that fit into no batch without a shared text
  // Continues after `position` batches of `epoch`. A permutation depends only on seed and epoch.
  void restore(int64_t epoch, int64_t position);

 private:
  void permute();

  BatcherOptions options_;
  int64_t batches_per_epoch_ = 0;
  int64_t epoch_ = 0;
  int64_t position_ = 0;
  int64_t left_out_ = 0;
  std::vector<int64_t> order_;  // [examples] batch after batch
  std::vector<int64_t> ends_;   // [batches] the end of each batch in the order
};

}  // namespace contrastive::data
