#include "core/data/batcher.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::data {
namespace {

BatcherOptions options(int64_t examples, int64_t batch_size, bool drop_last = false) {
  BatcherOptions result;
  result.examples = examples;
  result.batch_size = batch_size;
  result.drop_last = drop_last;
  return result;
}

std::vector<int64_t> epoch_of(Batcher& batcher) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < batcher.batches_per_epoch(); ++i) {
    const auto batch = batcher.next();
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

TEST(Batcher, VisitsEveryExampleOnceAnEpochInAnotherOrder) {
  Batcher batcher(options(103, 10));
  EXPECT_EQ(batcher.batches_per_epoch(), 11);
  const auto first = epoch_of(batcher), second = epoch_of(batcher);
  EXPECT_EQ(batcher.epoch(), 1);
  EXPECT_NE(first, second);
  for (const auto& epoch : {first, second})
    EXPECT_EQ(std::set<int64_t>(epoch.begin(), epoch.end()).size(), 103u);
}

TEST(Batcher, DropsTheLastBatchOnlyWhenItIsNotFull) {
  EXPECT_EQ(Batcher(options(314315, 512, true)).batches_per_epoch(), 613);  // CLSR on NLI
  EXPECT_EQ(Batcher(options(314315, 512, false)).batches_per_epoch(), 614);
  EXPECT_EQ(Batcher(options(89192, 96)).batches_per_epoch(), 930);  // ConSERT
  EXPECT_EQ(Batcher(options(20, 10, true)).batches_per_epoch(), 2);
}

TEST(Batcher, FewerExamplesThanABatchMakeOneSmallerBatch) {
  Batcher batcher(options(3, 512, true));
  EXPECT_EQ(batcher.batches_per_epoch(), 1);
  EXPECT_EQ(batcher.next().size(), 3u);
}

TEST(Batcher, TheSeedDecidesTheOrder) {
  BatcherOptions other = options(50, 50);
  other.seed = 2;
  EXPECT_EQ(Batcher(options(50, 50)).next(), Batcher(options(50, 50)).next());
  EXPECT_NE(Batcher(options(50, 50)).next(), Batcher(other).next());
}

TEST(Batcher, RestoresInTheMiddleOfAnEpoch) {
  Batcher whole(options(57, 5));
  for (int i = 0; i < 17; ++i) whole.next();
  Batcher resumed(options(57, 5));
  resumed.restore(whole.epoch(), whole.position());
  for (int i = 0; i < 30; ++i) EXPECT_EQ(whole.next(), resumed.next());
}

TEST(Batcher, RefusesWhatCannotBe) {
  expect_error(Status::kArgument, "the dataset has no examples", [&] { Batcher(options(0, 5)); });
  expect_error(Status::kArgument, "batch_size is 0: at least 1 is needed",
               [&] { Batcher(options(5, 0)); });
  Batcher batcher(options(10, 5));
  expect_error(Status::kMismatch, "the run was at batch 3 of epoch 0, but an epoch",
               [&] { batcher.restore(0, 3); });
}

}  // namespace
}  // namespace contrastive::data
