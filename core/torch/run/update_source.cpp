#include "core/torch/run/update_source.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/mixed_batcher.h"
#include "core/host/helper_threads.h"
#include "core/system/process.h"

namespace contrastive::run {
namespace {

bool across_parts(const TrainOptions& options) { return options.negatives == Negatives::kGlobal; }

// How the dataset of each task is split into batches.
std::vector<data::BatcherOptions> batcher_options(const TrainOptions& options,
                                                  const data::Dataset& data) {
  const std::vector<const data::Dataset*> parts = data.parts();
  TORCH_CHECK(parts.size() == options.tasks(), "the run has ", options.tasks(), " tasks, but ",
              parts.size(), " datasets");
  std::vector<data::BatcherOptions> all;
  for (size_t i = 0; i < parts.size(); ++i) {
    const TrainOptions& task = options.task(i);
    data::BatcherOptions result;
    result.examples = parts[i]->size();
    // If negatives reach across parts, an update is one batch: a last one that is not full is kept
    // or dropped as a whole.
    const int64_t most = std::max<int64_t>(result.examples, 1);
    result.batch_size = across_parts(options)
                            ? std::min(task.batch_size, most) * std::min(options.accumulate, most)
                            : task.batch_size;
    result.seed = static_cast<uint64_t>(options.seed);
    result.drop_last = task.last_batch == LastBatch::kDrop;
    all.push_back(result);
  }
  return all;
}

data::MixedBatcher make_batcher(const TrainOptions& options, const data::Dataset& data) {
  std::vector<data::BatcherOptions> batches = batcher_options(options, data);
  const std::vector<const data::Dataset*> parts = data.parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (options.task(i).duplicates_apart)
      batches[i].apart = std::make_shared<data::SharedTexts>(*parts[i]);
  }
  data::MixedBatcher batcher(batches, options.sampling);
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t left_out = batcher.source(i).left_out();
    if (left_out == 0) continue;
    log_warning(left_out, " of ", parts[i]->size(), " examples",
                parts.size() > 1 ? cat(" of task ", i + 1) : std::string(),
                " are left out of the first epoch, and about as many of each: data.duplicates is "
                "apart, and ",
                "their texts occur in more examples than an epoch has batches");
  }
  return batcher;
}

// The contents of an update, and the position of the data after it.
struct Ticket {
  std::vector<data::MixedBatch> parts;
  int64_t epoch = 0;
  int64_t position = 0;
  bool first_of_epoch = false;
};

struct Result {
  Ticket ticket;
  Update update;
  std::exception_ptr error;
};

std::vector<data::MixedBatch> cut(const data::MixedBatch& batch, int64_t part_size) {
  std::vector<data::MixedBatch> parts;
  const std::vector<int64_t>& indices = batch.indices;
  for (size_t begin = 0; begin < indices.size(); begin += static_cast<size_t>(part_size)) {
    const size_t end = std::min(begin + static_cast<size_t>(part_size), indices.size());
    parts.push_back({batch.source,
                     {indices.begin() + static_cast<int64_t>(begin),
                      indices.begin() + static_cast<int64_t>(end)}});
  }
  return parts;
}

// All parts as one batch, for Method::compare(): the examples and their facts, without the texts.
data::Batch joined(const std::vector<data::Batch>& parts) {
  data::Batch whole;
  whole.epoch = parts.front().epoch;
  whole.step = parts.front().step;
  whole.task = parts.front().task;  // all are of one
  for (const data::Batch& part : parts) {
    for (const data::Example& example : part.examples) {
      whole.examples.push_back(example.without_texts());
    }
    whole.indices.insert(whole.indices.end(), part.indices.begin(), part.indices.end());
  }
  return whole;
}

// The stretch of `n` examples that a rank computes: begin, end.
std::pair<int64_t, int64_t> stretch(int64_t n, const Share& share) {
  return {n * share.rank / share.ranks, n * (share.rank + 1) / share.ranks};
}

// Replaces the part of all ranks by this rank's stretch; the examples of all ranks are kept without
// texts.
void take_share(Update& update, const Share& share) {
  if (share.ranks == 1) return;
  for (data::Batch& part : update.parts) {
    update.of_all.push_back(joined({part}));
    update.of_all.back().first_row = part.first_row;
    const auto [begin, end] = stretch(part.size(), share);
    part.examples = {std::make_move_iterator(part.examples.begin() + begin),
                     std::make_move_iterator(part.examples.begin() + end)};
    part.indices = {part.indices.begin() + begin, part.indices.begin() + end};
    part.first_row += begin;
  }
}

}  // namespace

int64_t Update::examples() const {
  int64_t count = 0;
  for (const data::Batch& part : compared()) count += part.size();
  return count;
}

int64_t batches_per_epoch(const data::Dataset& data, const TrainOptions& options) {
  return data::batches_per_epoch(batcher_options(options, data), options.sampling);
}

Update split_batch(data::Batch batch, const TrainOptions& options, const Share& share) {
  Update update;
  const auto most = static_cast<size_t>(options.batch_size);
  if (!across_parts(options) || batch.examples.size() <= most) {
    update.parts.push_back(std::move(batch));
    take_share(update, share);
    return update;
  }
  for (size_t begin = 0; begin < batch.examples.size(); begin += most) {
    const auto first = static_cast<int64_t>(begin),
               last = static_cast<int64_t>(std::min(begin + most, batch.examples.size()));
    data::Batch part;
    part.examples.assign(std::make_move_iterator(batch.examples.begin() + first),
                         std::make_move_iterator(batch.examples.begin() + last));
    part.indices.assign(batch.indices.begin() + first, batch.indices.begin() + last);
    part.epoch = batch.epoch;
    part.step = batch.step;
    part.first_row = first;
    update.parts.push_back(std::move(part));
  }
  update.whole = joined(update.parts);
  take_share(update, share);
  return update;
}

// Every field below the mutex is guarded by it. Tickets are drawn and handed out in order; in
// between, any thread may work on any of them.
class UpdateSource::Producers {
 public:
  Producers(std::shared_ptr<const data::Dataset> data, const TrainOptions& options,
            const Share& share)
      : data_(std::move(data)), options_(options), share_(share),
        batcher_(make_batcher(options, *data_)), data_threads_(options.data_threads),
        ready_(static_cast<size_t>(options.data_threads)) {}

  ~Producers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    threads_.join();
  }

  Update next(const methods::Method& method, int64_t step) {
    check_process();
    begin_threads(method);
    Result result = threads_.size() > 0 ? await() : make(method);
    if (result.error && threads_.size() > 0) {
      // An error of a thread that worked ahead may be temporary, such as missing memory.
      restore(epoch_, position_);
      result = await();
    }
    if (result.error) std::rethrow_exception(result.error);
    epoch_ = result.ticket.epoch;
    position_ = result.ticket.position;
    for (data::Batch& part : result.update.parts) part.step = step;
    for (data::Batch& part : result.update.of_all) part.step = step;
    result.update.whole.step = step;
    return std::move(result.update);
  }

  int64_t batches_per_epoch() const { return batcher_.batches_per_epoch(); }
  int64_t epoch() const { return epoch_; }
  int64_t position() const { return position_; }

  void restore(int64_t epoch, int64_t position) {
    check_process();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++generation_;  // discards what threads are working on
      for (std::optional<Result>& result : ready_) result.reset();
      drawn_ = given_ = 0;
      place_to_go_ = {epoch, position};
      try {
        go_to_place();
      } catch (const std::bad_alloc&) {
        // The next draw tries again.
      } catch (...) {
        place_to_go_.reset();
        throw;
      }
    }
    epoch_ = epoch;
    position_ = position;
    changed_.notify_all();
  }

 private:
  // Before the lock is taken, because in a forked child a missing thread may hold it.
  void check_process() const {
    check(threads_.size() == 0 || process_ == system::process_number(), Status::kState,
          "this trainer's data threads stayed in the process that forked this one: make a trainer "
          "here, or use data_threads = 0");
  }

  void go_to_place() {
    if (!place_to_go_) return;
    batcher_.restore(place_to_go_->first, place_to_go_->second);
    place_to_go_.reset();
  }

  // The batches of one update. The last update of an epoch gets the rest.
  Ticket draw() {
    go_to_place();
    Ticket ticket;
    if (across_parts(options_)) {
      const data::MixedBatch batch = batcher_.next();
      ticket.parts = cut(batch, options_.task(batch.source).batch_size);
      ticket.first_of_epoch = batcher_.position() == 1;
    } else {
      do {
        ticket.parts.push_back(batcher_.next());
        ticket.first_of_epoch = ticket.first_of_epoch || batcher_.position() == 1;
      } while (static_cast<int64_t>(ticket.parts.size()) < options_.accumulate &&
               batcher_.position() < batcher_.batches_per_epoch());
    }
    ticket.epoch = batcher_.epoch();
    ticket.position = batcher_.position();
    return ticket;
  }

  // In the caller's own thread.
  Result make(const methods::Method& method) {
    Result result;
    result.ticket = draw();
    produce(method, generation_, result);
    return result;
  }

  // Any thread. An error is part of the result.
  void produce(const methods::Method& method, int64_t generation, Result& result) const {
    try {
      if (result.ticket.first_of_epoch) data_->check_unchanged();
      int64_t row = 0;
      for (const data::MixedBatch& drawn : result.ticket.parts) {
        data::Batch part;
        part.indices = drawn.indices;
        part.task = static_cast<int64_t>(drawn.source);
        part.epoch = result.ticket.epoch;
        part.first_row = row;
        for (const int64_t index : drawn.indices) {
          if (outdated(generation)) return;
          part.examples.push_back(data_->get(index));
        }
        row += part.size();
        result.update.parts.push_back(std::move(part));
        if (share_.ranks == 1) method.tokenize(result.update.parts.back());
      }
      if (across_parts(options_) && result.update.parts.size() > 1)
        result.update.whole = joined(result.update.parts);
      take_share(result.update, share_);
      for (data::Batch& part : result.update.parts) {
        if (share_.ranks > 1 && part.size() > 0) method.tokenize(part);
      }
    } catch (...) {
      result.error = std::current_exception();
    }
  }

  // Whether this work is no longer needed.
  bool outdated(int64_t generation) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return data_threads_ > 0 && (stopping_ || generation != generation_);
  }

  void begin_threads(const methods::Method& method) {
    while (threads_.size() < data_threads_) {
      if (threads_.start([this, &method] { work(method); })) continue;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        data_threads_ = threads_.size();
      }
      log_warning("the system grants ", data_threads_, " of ", options_.data_threads,
                  " data threads: training continues with these");
    }
  }

  std::optional<Result>& place_of(int64_t number) {
    return ready_[static_cast<size_t>(number) % ready_.size()];
  }

  Result await() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return place_of(given_).has_value(); });
    Result result = std::move(*place_of(given_));
    place_of(given_).reset();
    ++given_;
    lock.unlock();
    changed_.notify_all();
    return result;
  }

  void work(const methods::Method& method) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      // Prepares as many updates as there are threads: memory stays bounded, and no thread is idle
      // while an update trains.
      changed_.wait(lock, [&] { return stopping_ || drawn_ - given_ < data_threads_; });
      if (stopping_) return;
      const int64_t number = drawn_++, generation = generation_;
      Result result;
      try {
        result.ticket = draw();
      } catch (...) {
        result.error = std::current_exception();
      }
      lock.unlock();
      if (!result.error) produce(method, generation, result);
      lock.lock();
      if (stopping_ || generation != generation_) continue;
      place_of(number) = std::move(result);
      changed_.notify_all();
    }
  }

  const std::shared_ptr<const data::Dataset> data_;
  const TrainOptions options_;
  const Share share_;
  const int64_t process_ = system::process_number();
  int64_t epoch_ = 0, position_ = 0;  // the caller's thread only

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  data::MixedBatcher batcher_;
  bool stopping_ = false;
  int64_t generation_ = 0;
  int64_t drawn_ = 0, given_ = 0;  // tickets of this generation
  int64_t data_threads_;           // as requested, or fewer if the system grants no more
  std::optional<std::pair<int64_t, int64_t>>
      place_to_go_;  // epoch and position to set in the batcher
  std::vector<std::optional<Result>>
      ready_;  // by number: no two tickets that are drawn and not handed out share a slot. A thread
               // that finishes allocates nothing.
  host::HelperThreads threads_;  // last, because they use everything above. The caller's thread
                                 // starts them all before it waits for the first
};

UpdateSource::UpdateSource(std::shared_ptr<const data::Dataset> data, const TrainOptions& options,
                           const Share& share)
    : producers_(std::make_unique<Producers>(std::move(data), options, share)) {}
UpdateSource::~UpdateSource() = default;

Update UpdateSource::next(const methods::Method& method, int64_t step) {
  return producers_->next(method, step);
}
int64_t UpdateSource::batches_per_epoch() const { return producers_->batches_per_epoch(); }
int64_t UpdateSource::epoch() const { return producers_->epoch(); }
int64_t UpdateSource::position() const { return producers_->position(); }
void UpdateSource::restore(int64_t epoch, int64_t position) {
  producers_->restore(epoch, position);
}

}  // namespace contrastive::run
