#include "core/data/mixed_batcher.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::data {
namespace {

using Order = std::vector<std::pair<size_t, std::vector<int64_t>>>;

std::vector<BatcherOptions> sources(const std::vector<std::pair<int64_t, int64_t>>& sizes,
                                    uint64_t seed = 1) {
  std::vector<BatcherOptions> all;
  for (const auto& [examples, batch_size] : sizes) {
    BatcherOptions options;
    options.examples = examples;
    options.batch_size = batch_size;
    options.seed = seed;
    all.push_back(options);
  }
  return all;
}

Order take(MixedBatcher& batcher, int64_t count) {
  Order order;
  for (int64_t i = 0; i < count; ++i) {
    MixedBatch batch = batcher.next();
    order.emplace_back(batch.source, std::move(batch.indices));
  }
  return order;
}

std::vector<size_t> turns(const Order& order) {
  std::vector<size_t> all;
  for (const auto& [source, indices] : order) all.push_back(source);
  return all;
}

TEST(MixedBatcher, ProportionalGivesEveryExampleOnceAnEpochInBatchesOfOneSource) {
  MixedBatcher batcher(sources({{20, 4}, {9, 3}, {2, 8}}), Mixing::kProportional);
  EXPECT_EQ(batcher.batches_per_epoch(), 5 + 3 + 1);
  EXPECT_EQ(batches_per_epoch(sources({{20, 4}, {9, 3}, {2, 8}}), Mixing::kProportional), 9);
  const int64_t begins[] = {0, 20, 29, 31};
  std::vector<size_t> first;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const Order order = take(batcher, 9);
    EXPECT_EQ(batcher.epoch(), epoch);
    std::set<int64_t> seen;
    for (const auto& [source, indices] : order) {
      for (const int64_t index : indices) {
        EXPECT_TRUE(index >= begins[source] && index < begins[source + 1])
            << "example " << index << " in a batch of source " << source;
        seen.insert(index);
      }
    }
    EXPECT_EQ(seen.size(), 31u);
    if (epoch == 0) first = turns(order);
    if (epoch == 2) {
      EXPECT_NE(turns(order), first) << "each epoch has its own order";
    }
  }
}

// The positions of a source are uniformly random: the mean is the middle.
TEST(MixedBatcher, ProportionalPutsNoSourceFirst) {
  double places = 0;
  int64_t count = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    MixedBatcher batcher(sources({{30, 1}, {10, 1}}, seed), Mixing::kProportional);
    const std::vector<size_t> order = turns(take(batcher, 40));
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] == 1) places += static_cast<double>(i), ++count;
    }
  }
  EXPECT_EQ(count, 2000);
  EXPECT_NEAR(places / static_cast<double>(count), 19.5, 1);
}

TEST(MixedBatcher, RoundRobinTakesTurnsUntilTheSmallestIsThrough) {
  MixedBatcher batcher(sources({{20, 4}, {9, 3}, {40, 4}}), Mixing::kRoundRobin);
  EXPECT_EQ(batcher.batches_per_epoch(), 9);
  const Order first = take(batcher, 9), second = take(batcher, 9);
  EXPECT_THAT(turns(first), ::testing::ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2));
  EXPECT_EQ(turns(first), turns(second));
  std::set<int64_t> of_smallest, of_largest;
  for (const Order* order : {&first, &second}) {
    for (const auto& [source, indices] : *order) {
      if (source == 1) of_smallest.insert(indices.begin(), indices.end());
      if (source == 2) of_largest.insert(indices.begin(), indices.end());
    }
  }
  EXPECT_EQ(of_smallest.size(), 9u);
  EXPECT_GT(of_largest.size(), 12u)
      << "the next epoch continues a source that was not used up with other examples";
}

TEST(MixedBatcher, OneSourceIsABatcher) {
  for (const Mixing mixing : {Mixing::kProportional, Mixing::kRoundRobin}) {
    MixedBatcher mixed(sources({{23, 4}}), mixing);
    Batcher alone(sources({{23, 4}})[0]);
    EXPECT_EQ(mixed.batches_per_epoch(), alone.batches_per_epoch());
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(mixed.next().indices, alone.next());
      EXPECT_EQ(mixed.position(), alone.position());
      EXPECT_EQ(mixed.epoch(), alone.epoch());
    }
  }
}

TEST(MixedBatcher, SourcesOfOneSizeHavePermutationsOfTheirOwn) {
  MixedBatcher batcher(sources({{50, 50}, {50, 50}}), Mixing::kRoundRobin);
  std::vector<int64_t> first = batcher.next().indices, second = batcher.next().indices;
  for (int64_t& index : second) index -= 50;
  EXPECT_NE(first, second);
}

TEST(MixedBatcher, RestoreGoesToAnyPlace) {
  for (const Mixing mixing : {Mixing::kProportional, Mixing::kRoundRobin}) {
    MixedBatcher batcher(sources({{20, 4}, {9, 3}, {7, 2}}), mixing);
    const int64_t per_epoch = batcher.batches_per_epoch();
    const Order all = take(batcher, 3 * per_epoch);
    for (const int64_t place :
         {int64_t{0}, int64_t{1}, per_epoch - 1, per_epoch, per_epoch + 4, 2 * per_epoch + 1}) {
      MixedBatcher again(sources({{20, 4}, {9, 3}, {7, 2}}), mixing);
      again.restore(place / per_epoch, place % per_epoch);
      const Order rest = take(again, 3 * per_epoch - place);
      EXPECT_EQ(rest, Order(all.begin() + place, all.end())) << "from batch " << place;
    }
    expect_error(Status::kMismatch, "the run was at batch",
                 [&] { batcher.restore(0, per_epoch + 1); });
    expect_error(Status::kMismatch, "the run was at batch 0 of epoch -1",
                 [&] { batcher.restore(-1, 0); });
  }
}

TEST(MixedBatcher, RefusesASourceWithoutExamples) {
  expect_error(Status::kArgument, "the dataset has no examples",
               [&] { MixedBatcher(sources({{5, 2}, {0, 2}}), Mixing::kProportional); });
  expect_error(Status::kArgument, "batch_size is 0: at least 1 is needed",
               [&] { batches_per_epoch(sources({{5, 2}, {5, 0}}), Mixing::kRoundRobin); });
}

}  // namespace
}  // namespace contrastive::data
