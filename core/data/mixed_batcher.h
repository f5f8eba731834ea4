// The order of the batches of a run on several datasets. Each dataset is permuted and cut into
// batches as if it were alone; whose turn it is, is one more seeded choice an epoch. With one
// dataset it is a Batcher.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/batcher.h"

namespace contrastive::data {

enum class Mixing {
  kProportional,  // all batches of all datasets, once an epoch, in a random order
  kRoundRobin,    // a batch of each in turn, until one of them has no further batch in this epoch
};

struct MixedBatch {
  size_t source = 0;             // the dataset that all its examples are of
  std::vector<int64_t> indices;  // of a dataset that joins all, in their order
};

// How many batches an epoch of such datasets has; kArgument for one without examples or batch size.
int64_t batches_per_epoch(const std::vector<BatcherOptions>& sources, Mixing mixing);

class MixedBatcher {
 public:
  // `sources`: at least one, each as for a Batcher. Their `stream` is set here.
  MixedBatcher(std::vector<BatcherOptions> sources, Mixing mixing);

  MixedBatch next();  // of the present epoch, or the first of the next one
  int64_t batches_per_epoch() const { return static_cast<int64_t>(turns_.size()); }
  int64_t epoch() const {
    return epoch_;
  }  // of the batch that next() gave last; 0 before the first
  int64_t position() const { return position_; }  // batches given in this epoch
  const Batcher& source(size_t number) const { return batchers_[number]; }
  size_t sources() const { return batchers_.size(); }
  // Goes on after `position` batches of `epoch`: what an epoch holds depends on seed and epoch
  // only.
  void restore(int64_t epoch, int64_t position);

 private:
  void take_turns();

  Mixing mixing_;
  uint64_t seed_;
  std::vector<Batcher> batchers_;
  std::vector<int64_t> first_;  // of each source: the place of its first example among those of all
  std::vector<size_t> turns_;   // [batches of an epoch] whose each is
  int64_t epoch_ = 0, position_ = 0;
};

}  // namespace contrastive::data
