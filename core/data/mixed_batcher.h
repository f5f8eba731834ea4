// The order of the batches of a run on several datasets. Each dataset is permuted and cut into
// batches separately. A seeded choice for each epoch determines whose batch is next. With one
// dataset it is a Batcher.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/batcher.h"

namespace contrastive::data {

enum class Mixing {
  kProportional,  // all batches of all datasets once per epoch, in a random order
  kRoundRobin,    // one batch of each in turn, until one of them has no further batch in this epoch
};

struct MixedBatch {
  size_t source = 0;             // the dataset of all its examples
  std::vector<int64_t> indices;  // in the dataset that joins all datasets, in their order
};

// The number of batches of an epoch. Throws kArgument for a dataset without examples or batch size.
int64_t batches_per_epoch(const std::vector<BatcherOptions>& sources, Mixing mixing);

class MixedBatcher {
 public:
  // `sources`: at least one, each as for a Batcher. Their `stream` is set here.
  MixedBatcher(std::vector<BatcherOptions> sources, Mixing mixing);

  MixedBatch next();  // of the current epoch, or the first of the next one
  int64_t batches_per_epoch() const { return static_cast<int64_t>(turns_.size()); }
  int64_t epoch() const { return epoch_; }  // of the last batch from next(); 0 before the first
  int64_t position() const { return position_; }  // batches returned in this epoch
  const Batcher& source(size_t number) const { return batchers_[number]; }
  size_t sources() const { return batchers_.size(); }
  // Continues after `position` batches of `epoch`. An epoch depends only on the seed and its
  // number.
  void restore(int64_t epoch, int64_t position);

 private:
  void take_turns();

  Mixing mixing_;
  uint64_t seed_;
  std::vector<Batcher> batchers_;
  std::vector<int64_t> first_;  // for each source: its first index in the joined dataset
  std::vector<size_t> turns_;   // [batches of an epoch] the source of each batch
  int64_t epoch_ = 0, position_ = 0;
};

}  // namespace contrastive::data
