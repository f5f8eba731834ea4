#include "core/torch/run/update_source.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "tests/core/torch/run/toy_method.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

using Order = std::vector<std::vector<int64_t>>;

TrainOptions options_of(int64_t batch_size, int64_t accumulate, Negatives negatives,
                        int64_t threads) {
  TrainOptions options;
  options.batch_size = batch_size;
  options.accumulate = accumulate;
  options.negatives = negatives;
  options.data_threads = threads;
  return options;
}

// A dataset that can be slow, or fail once.
class Moody : public data::Dataset {
 public:
  explicit Moody(int64_t size) : data_(toy_pairs(size)) {}
  int64_t size() const override { return data_->size(); }
  data::Example get(int64_t index) const override {
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (index == fails_at.load()) {
      ++failures;
      fail(Status::kCorrupt, "example ", index, " is gone");
    }
    ++reads;
    return data_->get(index);
  }
  void add(data::Example) override {}
  std::string fingerprint() const override { return data_->fingerprint(); }
  const data::DatasetReport& report() const override { return data_->report(); }

  std::atomic<bool> slow{false};
  std::atomic<int64_t> fails_at{-1};
  mutable std::atomic<int64_t> reads{0}, failures{0};

 private:
  std::shared_ptr<data::Dataset> data_;
};

Order take(UpdateSource& source, const methods::Method& method, int updates) {
  Order order;
  for (int step = 0; step < updates; ++step) {
    const Update update = source.next(method, step);
    std::vector<int64_t> indices;
    for (const data::Batch& part : update.parts) {
      EXPECT_EQ(part.step, step);
      EXPECT_EQ(part.first_row, static_cast<int64_t>(indices.size()));
      EXPECT_EQ(part.tokens.at(0).texts(), part.size());
      indices.insert(indices.end(), part.indices.begin(), part.indices.end());
    }
    if (!update.whole.indices.empty()) {
      EXPECT_EQ(update.whole.indices, indices);
    }
    order.push_back(indices);
  }
  return order;
}

TEST(UpdateSource, AnyNumberOfThreadsGivesTheSameUpdates) {
  const auto method = toy_method();
  for (const Negatives negatives : {Negatives::kMicro, Negatives::kGlobal}) {
    Order first;
    for (const int64_t threads : {0, 1, 2, 5}) {
      UpdateSource source(toy_pairs(21), options_of(4, 2, negatives, threads));
      const Order order = take(source, *method, 9);
      if (threads == 0) first = order;
      EXPECT_EQ(order, first) << threads << " threads";
      EXPECT_EQ(source.epoch(), 2);
    }
    EXPECT_EQ(first[2].size(), 5u);  // the last update of an epoch gets the rest
  }
}

TEST(UpdateSource, GlobalUpdatesDoNotDependOnTheirParts) {
  const auto method = toy_method();
  TrainOptions options = options_of(8, 1, Negatives::kGlobal, 1);
  options.last_batch = LastBatch::kDrop;
  UpdateSource whole(toy_pairs(30), options);
  options.batch_size = 2;
  options.accumulate = 4;
  UpdateSource parts(toy_pairs(30), options);
  EXPECT_EQ(whole.batches_per_epoch(), 3);
  EXPECT_EQ(parts.batches_per_epoch(), 3);
  EXPECT_EQ(take(whole, *method, 7), take(parts, *method, 7));
}

TEST(UpdateSource, RestoreGoesBackToAnyPlace) {
  const auto method = toy_method();
  for (const int64_t threads : {0, 1, 3}) {
    UpdateSource source(toy_pairs(21), options_of(4, 1, Negatives::kMicro, threads));
    const Order all = take(source, *method, 11);
    source.restore(0, 4);
    EXPECT_EQ(source.next(*method, 4).parts[0].indices, all[4]);
    source.restore(1, 1);
    for (size_t i = 7; i < 11; ++i)
      EXPECT_EQ(source.next(*method, 0).parts[0].indices, all[i])
          << threads << " threads, update " << i;
    EXPECT_EQ(source.epoch(), 1);
    EXPECT_EQ(source.position(), 5);
    expect_error(Status::kMismatch, "the run was at batch 99 of epoch 0, but an epoch",
                 [&] { source.restore(0, 99); });
  }
}

TEST(UpdateSource, ErrorsCrossOverInTheirPlace) {
  const auto method = toy_method();
  for (const int64_t threads : {0, 1, 2}) {
    const auto data = std::make_shared<Moody>(12);
    UpdateSource source(data, options_of(4, 1, Negatives::kMicro, threads));
    const Order all = take(source, *method, 3);
    source.restore(0, 0);
    data->fails_at = all[1][2];
    source.restore(0, 0);
    EXPECT_EQ(source.next(*method, 0).parts[0].indices, all[0]);
    expect_error(Status::kCorrupt, "example 9 is gone", [&] { source.next(*method, 1); });
    data->fails_at = -1;
    source.restore(0, 1);  // as the trainer does
    EXPECT_EQ(source.next(*method, 1).parts[0].indices, all[1]);
    EXPECT_EQ(source.next(*method, 2).parts[0].indices, all[2]);
  }
}

TEST(UpdateSource, WhatHasPassedWhenAnUpdateIsAskedForIsNoError) {
  const auto method = toy_method();
  const auto data = std::make_shared<Moody>(12);
  UpdateSource source(data, options_of(4, 1, Negatives::kMicro, 1));
  const Order all = take(source, *method, 3);
  source.restore(0, 0);
  data->fails_at = all[1][2];
  source.restore(0, 0);
  EXPECT_EQ(source.next(*method, 0).parts[0].indices, all[0]);
  while (data->failures == 0) std::this_thread::yield();  // the data thread has reached it
  data->fails_at = -1;
  EXPECT_EQ(source.next(*method, 1).parts[0].indices, all[1]);
  EXPECT_EQ(source.next(*method, 2).parts[0].indices, all[2]);
}

TEST(UpdateSource, KeepsExamplesApartThatShareAText) {
  const auto method = toy_method();
  const auto data = data::make_dataset();
  for (int i = 0; i < 60; ++i) {
    data::Example example = toy_pairs(60)->get(i);
    example.a = "anchor " + std::to_string(i % 30);
    data->add(example);
  }
  for (const Negatives negatives : {Negatives::kMicro, Negatives::kGlobal}) {
    TrainOptions options = options_of(5, 2, negatives, 1);
    const auto twice = [&] {
      UpdateSource source(data, options);
      int64_t repeated = 0;
      for (int step = 0; step < 12; ++step) {
        const Update update = source.next(*method, step);
        std::multiset<int64_t> seen;
        for (const data::Batch& part : update.parts) {
          if (negatives == Negatives::kMicro) seen.clear();
          for (const int64_t index : part.indices)
            repeated += seen.count(index % 30) > 0 ? 1 : 0, seen.insert(index % 30);
        }
      }
      return repeated;
    };
    EXPECT_GT(twice(), 0);
    options.duplicates_apart = true;
    EXPECT_EQ(twice(), 0);
    UpdateSource all(data, options), half(data, options, {1, 2});
    const Update whole = all.next(*method, 0), share = half.next(*method, 0);
    EXPECT_EQ(share.of_all.at(0).indices, whole.parts.at(0).indices)
        << "every rank cuts the same batches";
  }
}

TEST(UpdateSource, EndsInTheMiddleOfItsWork) {
  const auto method = toy_method();
  const auto data = std::make_shared<Moody>(100000);
  const auto begin = std::chrono::steady_clock::now();
  {
    data->slow = true;
    UpdateSource source(data, options_of(20, 1, Negatives::kMicro, 2));
    source.next(*method, 0);
    source.restore(0, 0);
  }
  {
    UpdateSource unused(data, options_of(50000, 1, Negatives::kMicro, 2));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(UpdateSource, ReadsAheadWhileTheCallerWorks) {
  const auto method = toy_method();
  const auto data = std::make_shared<Moody>(100);
  UpdateSource source(data, options_of(10, 1, Negatives::kMicro, 1));
  source.next(*method, 0);
  for (int i = 0; i < 2000 && data->reads < 20; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(data->reads, 20) << "at most one update ahead";
}

}  // namespace
}  // namespace contrastive::run
