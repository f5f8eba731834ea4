#include "core/text/pair_merger.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

using Neighbours = std::map<std::pair<int32_t, int32_t>, int64_t>;

Neighbours count_neighbours(const std::vector<CountedWord>& words) {
  Neighbours counts;
  for (const CountedWord& word : words) {
    for (size_t i = 1; i < word.symbols.size(); ++i)
      counts[{word.symbols[i - 1], word.symbols[i]}] += word.count;
  }
  return counts;
}

std::vector<int32_t> merged(const std::vector<int32_t>& symbols, int32_t left, int32_t right,
                            int32_t id) {
  std::vector<int32_t> result;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const bool pair = i + 1 < symbols.size() && symbols[i] == left && symbols[i + 1] == right;
    result.push_back(pair ? id : symbols[i]);
    i += pair ? 1 : 0;
  }
  return result;
}

TEST(PairMerger, OfEqualCountsTheSmallerIdsComeFirst) {
  PairMerger merger({{{3, 1}, 2}, {{1, 4, 3}, 2}, {{9, 9}, 1}});
  const PairMerger::Pair first = merger.next();
  EXPECT_EQ(first.left, 1);
  EXPECT_EQ(first.right, 4);
  EXPECT_EQ(first.count, 2);
  merger.merge(first, 10);
  const PairMerger::Pair second = merger.next();
  EXPECT_EQ(second.left, 3);
  EXPECT_EQ(second.right, 1);
}

TEST(PairMerger, AgreesWithCountingAgainAfterEveryMerge) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed, Purpose::kSubset);
    std::vector<CountedWord> words(20);
    for (CountedWord& word : words) {
      word.count = 1 + static_cast<int64_t>(rng.below(5));
      for (uint64_t n = 1 + rng.below(12); n > 0; --n)
        word.symbols.push_back(static_cast<int32_t>(rng.below(3)));
    }
    PairMerger merger(words);
    for (int32_t id = 100;; ++id) {
      const Neighbours counts = count_neighbours(words);
      const PairMerger::Pair pair = merger.next();
      int64_t most = 0;
      for (const auto& [ids, count] : counts) most = std::max(most, count);
      ASSERT_EQ(pair.count, most) << "seed " << seed << ", merge " << id;
      if (most == 0) break;
      for (const auto& [ids, count] : counts) {  // in the order of their ids
        if (count < most) continue;
        ASSERT_EQ(ids, std::make_pair(pair.left, pair.right)) << "seed " << seed;
        break;
      }
      merger.merge(pair, id);
      for (CountedWord& word : words)
        word.symbols = merged(word.symbols, pair.left, pair.right, id);
    }
  }
}

TEST(PairMerger, WithoutPairsThereIsNothingToMerge) {
  EXPECT_EQ(PairMerger({}).next().count, 0);
  EXPECT_EQ(PairMerger({{{5}, 100}, {{}, 7}}).next().count, 0);
}

TEST(PairMerger, CanBeCancelled) {
  Cancel cancel;
  PairMerger merger({{{1, 2}, 1}}, &cancel);
  cancel.trigger();
  const PairMerger::Pair pair = merger.next();
  expect_error(Status::kCancelled, "cancelled", [&] { merger.merge(pair, 3); });
}

}  // namespace
}  // namespace contrastive::text
