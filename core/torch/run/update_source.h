// Gives the examples of one update after the other. Its own threads read and tokenise them ahead of
// time while the current update trains. The contents of an update depend only on its number, so
// that any number of threads gives the same run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/torch/methods/method.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// The examples of one update, in the parts that the encoder processes one after the other.
struct Update {
  std::vector<data::Batch> parts;
  // All examples without texts and tokens, for the comparison across parts; empty if parts are
  // compared separately or there is only one.
  data::Batch whole;
  // If ranks share the run, `parts` has only this rank's examples, perhaps none, and this has those
  // of all ranks, part by part, without texts and tokens; else empty.
  std::vector<data::Batch> of_all;

  const std::vector<data::Batch>& compared() const { return of_all.empty() ? parts : of_all; }
  int64_t examples() const;  // of all ranks
};

// The number of this rank and of all ranks. Every batch is split into one contiguous part per rank,
// in the order of the ranks, so the split does not change the run.
struct Share {
  int rank = 0, ranks = 1;
};

// A caller's batch as an update: in parts of options.batch_size if negatives reach across parts,
// else in one.
Update split_batch(data::Batch batch, const TrainOptions& options, const Share& share = {});

// How many batches of `data` an epoch has, as UpdateSource draws them.
int64_t batches_per_epoch(const data::Dataset& data, const TrainOptions& options);

// Used by one thread at a time, in addition to its own threads.
class UpdateSource {
 public:
  UpdateSource(std::shared_ptr<const data::Dataset> data, const TrainOptions& options,
               const Share& share = {});
  ~UpdateSource();  // its threads finish their current example
  UpdateSource(const UpdateSource&) = delete;
  UpdateSource& operator=(const UpdateSource&) = delete;

  // The next update, with `step` written into its batches. `method` tokenises and must outlive this
  // object. Throws the error of reading; then, and whenever an update must be repeated, call
  // restore().
  Update next(const methods::Method& method, int64_t step);
  int64_t batches_per_epoch() const;
  int64_t epoch() const;     // of the last update from next(); 0 before the first
  int64_t position() const;  // batches given in this epoch
  // Continues after `position` batches of `epoch` and discards prepared updates. kMismatch for a
  // position beyond the epoch.
  void restore(int64_t epoch, int64_t position);

 private:
  class Producers;
  std::unique_ptr<Producers> producers_;
};

}  // namespace contrastive::run
