#include "core/data/batcher.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::data {

int64_t batches_per_epoch(const BatcherOptions& options) {
  check(options.examples > 0, Status::kArgument, "the dataset has no examples");
  check(options.batch_size > 0, Status::kArgument, "batch_size is ", options.batch_size, ": at least 1 is needed");
  const int64_t batch_size = std::min(options.batch_size, options.examples);
  const int64_t full = options.examples / batch_size, rest = options.examples % batch_size;
  return full + (rest > 0 && !options.drop_last ? 1 : 0);
}

Batcher::Batcher(const BatcherOptions& options) : options_(options), batches_per_epoch_(data::batches_per_epoch(options)) {
  options_.batch_size = std::min(options.batch_size, options.examples);
  permute();
}

void Batcher::permute() {
  order_.resize(static_cast<size_t>(options_.examples));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (!options_.shuffle) return;
  Rng rng(options_.seed, Purpose::kShuffle, static_cast<uint64_t>(epoch_));
  rng.shuffle(order_);
}

std::vector<int64_t> Batcher::next() {
  if (position_ == batches_per_epoch_) {
    ++epoch_;
    position_ = 0;
    permute();
  }
  const auto begin = order_.begin() + position_ * options_.batch_size;
  const int64_t count = std::min<int64_t>(options_.batch_size, order_.end() - begin);
  ++position_;
  return std::vector<int64_t>(begin, begin + count);
}

void Batcher::restore(int64_t epoch, int64_t position) {
  check(epoch >= 0 && position >= 0 && position <= batches_per_epoch_, Status::kMismatch, "the run stood at batch ", position, " of epoch ", epoch,
        ", but an epoch has ", batches_per_epoch_, " batches now");
  epoch_ = epoch;
  position_ = position;
  permute();
}

}  // namespace contrastive::data
