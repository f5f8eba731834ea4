#include "core/data/mixed_batcher.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::data {
namespace {

// For each source: how many of its batches an epoch has.
std::vector<int64_t> batches_of_each(const std::vector<BatcherOptions>& sources, Mixing mixing) {
  std::vector<int64_t> counts;
  for (const BatcherOptions& source : sources) counts.push_back(batches_per_epoch(source));
  if (mixing == Mixing::kRoundRobin)
    counts.assign(counts.size(), *std::min_element(counts.begin(), counts.end()));
  return counts;
}

// In rounds: one batch of each source, as long as it has any.
std::vector<size_t> rounds(const std::vector<int64_t>& counts) {
  std::vector<size_t> turns;
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  for (int64_t round = 0; round < most; ++round) {
    for (size_t source = 0; source < counts.size(); ++source) {
      if (round < counts[source]) turns.push_back(source);
    }
  }
  return turns;
}

}  // namespace

int64_t batches_per_epoch(const std::vector<BatcherOptions>& sources, Mixing mixing) {
  int64_t all = 0;
  for (const int64_t count : batches_of_each(sources, mixing)) all += count;
  return all;
}

MixedBatcher::MixedBatcher(std::vector<BatcherOptions> sources, Mixing mixing)
    : mixing_(mixing), seed_(sources.at(0).seed) {
  turns_ = rounds(batches_of_each(sources, mixing));
  int64_t first = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    sources[i].stream =
        static_cast<uint64_t>(i);  // two datasets of the same size get different permutations
    batchers_.emplace_back(sources[i]);
    first_.push_back(first);
    first += sources[i].examples;
  }
  take_turns();
}

void MixedBatcher::take_turns() {
  // the turns are the same in every epoch
  if (mixing_ == Mixing::kRoundRobin || batchers_.size() == 1) return;
  std::sort(turns_.begin(), turns_.end());
  Rng(seed_, Purpose::kTasks, static_cast<uint64_t>(epoch_)).shuffle(turns_);
}

MixedBatch MixedBatcher::next() {
  if (position_ == batches_per_epoch()) restore(epoch_ + 1, 0);
  MixedBatch batch;
  batch.source = turns_[static_cast<size_t>(position_)];
  batch.indices = batchers_[batch.source].next();
  for (int64_t& index : batch.indices) index += first_[batch.source];
  ++position_;
  return batch;
}

void MixedBatcher::restore(int64_t epoch, int64_t position) {
  check(epoch >= 0 && position >= 0 && position <= batches_per_epoch(), Status::kMismatch,
        "the run was at batch ", position, " of epoch ", epoch, ", but an epoch has ",
        batches_per_epoch(), " batches now");
  epoch_ = epoch;
  position_ = position;
  take_turns();
  std::vector<int64_t> given(batchers_.size());
  for (int64_t i = 0; i < position; ++i) ++given[turns_[static_cast<size_t>(i)]];
  for (size_t i = 0; i < batchers_.size(); ++i) batchers_[i].restore(epoch, given[i]);
}

}  // namespace contrastive::data
