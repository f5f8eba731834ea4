// The examples of one update after the other, read and tokenised ahead of time on threads of their
// own while the present update trains. What an update holds depends on its number alone, so that
// any number of threads gives the same run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/torch/methods/method.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// The examples of one update, in the parts that go through the encoder one after the other.
struct Update {
  std::vector<data::Batch> parts;
  // All of them, without texts and tokens: for the comparison across parts; empty where parts are
  // compared by themselves or there is one.
  data::Batch whole;
  // Where ranks share the run, `parts` hold this rank's examples alone, perhaps none, and these
  // those of all ranks, part by part, without texts and tokens; else empty.
  std::vector<data::Batch> of_all;

  const std::vector<data::Batch>& compared() const { return of_all.empty() ? parts : of_all; }
  int64_t examples() const;  // of all ranks
};

// Which rank of how many this is. Every batch is cut into as many stretches as there are ranks, in
// their order: who computes what changes nothing of a run.
struct Share {
  int rank = 0, ranks = 1;
};

// A caller's batch as an update: in parts of options.batch_size where negatives reach across parts,
// else in one.
Update split_batch(data::Batch batch, const TrainOptions& options, const Share& share = {});

// How many batches of `data` an epoch has, as UpdateSource draws them.
int64_t batches_per_epoch(const data::Dataset& data, const TrainOptions& options);

// One thread at a time, beside its own.
class UpdateSource {
 public:
  UpdateSource(std::shared_ptr<const data::Dataset> data, const TrainOptions& options,
               const Share& share = {});
  ~UpdateSource();  // its threads finish the example they are at
  UpdateSource(const UpdateSource&) = delete;
  UpdateSource& operator=(const UpdateSource&) = delete;

  // The next update, `step` written into its batches. `method` tokenises; it must stay while this
  // object lives. Throws what reading met: then, and whenever an update is to be made again,
  // restore() goes back.
  Update next(const methods::Method& method, int64_t step);
  int64_t batches_per_epoch() const;
  int64_t epoch() const;     // of the update that next() gave last; 0 before the first
  int64_t position() const;  // batches given in this epoch
  // Goes on after `position` batches of `epoch`; what was made ready is thrown away. kMismatch for
  // a position beyond the epoch.
  void restore(int64_t epoch, int64_t position);

 private:
  class Producers;
  std::unique_ptr<Producers> producers_;
};

}  // namespace contrastive::run
