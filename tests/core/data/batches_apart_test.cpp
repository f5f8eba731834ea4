// data.duplicates = apart: no duplicates in a batch, every example occurs once, and seed and epoch
// determine the order.
#include "core/data/batches_apart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/base/rng.h"
#include "core/data/batcher.h"

namespace contrastive::data {
namespace {

// Pairs and hard negatives of `words` different words: the fewer, the more texts repeat.
std::shared_ptr<Dataset> random_texts(int64_t n, uint64_t words, uint64_t seed) {
  const auto data = make_dataset();
  Rng rng(seed, Purpose::kShuffle);
  const auto word = [&] { return "w" + std::to_string(rng.below(words)); };
  for (int64_t i = 0; i < n; ++i) {
    Example example;
    example.a = word();
    example.b = word();
    example.has_b = true;
    if (rng.below(3) == 0) example.negatives = {word()};
    data->add(example);
  }
  return data;
}

std::set<std::string> texts_of(const Example& example) {
  std::set<std::string> texts = {example.a};
  if (example.has_b) texts.insert(example.b);
  texts.insert(example.negatives.begin(), example.negatives.end());
  return texts;
}

bool apart(const Dataset& data, const std::vector<int64_t>& batch) {
  std::set<std::string> seen;
  for (const int64_t index : batch) {
    for (const std::string& text : texts_of(data.get(index))) {
      if (!seen.insert(text).second) return false;
    }
  }
  return true;
}

Batcher batcher_of(const Dataset& data, int64_t batch_size, uint64_t seed = 1,
                   bool drop_last = false) {
  BatcherOptions options;
  options.examples = data.size();
  options.batch_size = batch_size;
  options.seed = seed;
  options.drop_last = drop_last;
  options.apart = std::make_shared<SharedTexts>(data);
  return Batcher(options);
}

TEST(BatchesApart, NoTextStandsTwiceInABatchAndNoExampleIsLost) {
  for (const auto& [n, words, size] : std::vector<std::tuple<int64_t, uint64_t, int64_t>>{
           {200, 1000, 8}, {200, 300, 8}, {203, 300, 8}, {64, 200, 16}, {7, 50, 100}}) {
    const auto data = random_texts(n, words, 3);
    Batcher batcher = batcher_of(*data, size);
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::multiset<int64_t> all;
      for (int64_t i = 0; i < batcher.batches_per_epoch(); ++i) {
        const auto batch = batcher.next();
        EXPECT_TRUE(apart(*data, batch)) << n << " examples of " << words << " words";
        EXPECT_LE(static_cast<int64_t>(batch.size()), size);
        EXPECT_FALSE(batch.empty());
        all.insert(batch.begin(), batch.end());
      }
      EXPECT_EQ(batcher.epoch(), epoch);
      // With full batches only, some examples with many shared texts may be left out; here nearly
      // all must be used.
      EXPECT_EQ(static_cast<int64_t>(all.size()) + batcher.left_out(), n);
      EXPECT_LE(batcher.left_out(), n == 7 ? 2 : 0) << n << " examples of " << words << " words";
      for (const int64_t index : all) EXPECT_EQ(all.count(index), 1u);
    }
  }
}

// Two examples that share a text come last, and the last batch has room for only one: the other one
// is swapped with an earlier example.
TEST(BatchesApart, TheLastOnesChangePlaces) {
  const auto data = make_dataset();
  for (const char* text : {"x", "y", "z", "same", "u", "same"}) {
    Example example;
    example.a = text;
    data->add(example);
  }
  const SharedTexts shared(*data);
  const BatchesApart result = cut_apart({0, 1, 2, 4, 3, 5}, 3, 2, shared);
  EXPECT_EQ(result.left_out, 0);
  for (const auto& batch : result.batches) {
    EXPECT_EQ(batch.size(), 2u);
    EXPECT_LT(std::count(batch.begin(), batch.end(), 3) + std::count(batch.begin(), batch.end(), 5),
              2);
  }
}

TEST(BatchesApart, WhatStandsInMoreExamplesThanThereAreBatchesIsLeftOut) {
  const auto data = make_dataset();
  for (int i = 0; i < 20; ++i) {
    Example example;
    example.a = i < 12 ? "same" : std::to_string(i);
    data->add(example);
  }
  Batcher batcher = batcher_of(*data, 4);
  EXPECT_EQ(batcher.batches_per_epoch(), 5);
  EXPECT_EQ(batcher.left_out(), 7);
  for (int64_t i = 0; i < 5; ++i) EXPECT_TRUE(apart(*data, batcher.next()));
}

TEST(BatchesApart, SeedAndEpochDecideAll) {
  const auto data = random_texts(100, 150, 4);
  Batcher one = batcher_of(*data, 8), two = batcher_of(*data, 8), other = batcher_of(*data, 8, 2);
  std::vector<std::vector<int64_t>> first, second;
  for (int i = 0; i < 30; ++i) first.push_back(one.next());
  EXPECT_NE(other.next(), first[0]);
  two.restore(1, 5);  // 13 batches an epoch
  for (int i = 18; i < 30; ++i) EXPECT_EQ(two.next(), first[static_cast<size_t>(i)]) << i;
}

TEST(BatchesApart, WithoutSharedTextsTheOrderStays) {
  const auto data = make_dataset();
  for (int i = 0; i < 50; ++i) {
    Example example;
    example.a = std::to_string(i);
    data->add(example);
  }
  for (const bool drop_last : {false, true}) {
    Batcher apart_ones = batcher_of(*data, 8, 1, drop_last);
    BatcherOptions options;
    options.examples = 50;
    options.batch_size = 8;
    options.drop_last = drop_last;
    Batcher plain(options);
    ASSERT_EQ(apart_ones.batches_per_epoch(), plain.batches_per_epoch());
    for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(apart_ones.next(), plain.next()) << i;
  }
}

}  // namespace
}  // namespace contrastive::data
