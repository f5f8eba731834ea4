#include "core/data/batcher.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/data/batches_apart.h"

namespace contrastive::data {

int64_t batches_per_epoch(const BatcherOptions& options) {
  check(options.examples > 0, Status::kArgument, "the dataset has no examples");
  check(options.batch_size > 0, Status::kArgument, "batch_size is ", options.batch_size,
        ": at least 1 is needed");
  const int64_t batch_size = std::min(options.batch_size, options.examples);
  const int64_t full = options.examples / batch_size, rest = options.examples % batch_size;
  return full + (rest > 0 && !options.drop_last ? 1 : 0);
}

Batcher::Batcher(const BatcherOptions& options)
    : options_(options), batches_per_epoch_(data::batches_per_epoch(options)) {
  options_.batch_size = std::min(options.batch_size, options.examples);
  permute();
}

void Batcher::permute() {
  order_.resize(static_cast<size_t>(options_.examples));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (options_.shuffle)
    Rng(options_.seed, Purpose::kShuffle, static_cast<uint64_t>(epoch_), options_.stream)
        .shuffle(order_);
  ends_.clear();
  if (options_.apart == nullptr) {
    for (int64_t i = 1; i <= batches_per_epoch_; ++i)
      ends_.push_back(std::min(i * options_.batch_size, options_.examples));
    return;
  }
  const BatchesApart apart =
      cut_apart(order_, batches_per_epoch_, options_.batch_size, *options_.apart);
  left_out_ = apart.left_out;
  order_.clear();
  for (const std::vector<int64_t>& batch : apart.batches) {
    order_.insert(order_.end(), batch.begin(), batch.end());
    ends_.push_back(static_cast<int64_t>(order_.size()));
  }
}

std::vector<int64_t> Batcher::next() {
  if (position_ == batches_per_epoch_) {
    ++epoch_;
    position_ = 0;
    permute();
  }
  const int64_t begin = position_ == 0 ? 0 : ends_[static_cast<size_t>(position_) - 1],
                end = ends_[static_cast<size_t>(position_)];
  ++position_;
  return {order_.begin() + begin, order_.begin() + end};
}

void Batcher::restore(int64_t epoch, int64_t position) {
  check(epoch >= 0 && position >= 0 && position <= batches_per_epoch_, Status::kMismatch,
        "the run was at batch ", position, " of epoch ", epoch, ", but an epoch has ",
        batches_per_epoch_, " batches now");
  epoch_ = epoch;
  position_ = position;
  permute();
}

}  // namespace contrastive::data
