#include "core/torch/augment/tokens/substitute.h"

#include <gtest/gtest.h>

#include "core/base/sample.h"
#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

TEST(Substitute, TakesTheLongestEntryAndOneOfItsCandidates) {
  SynonymTable table;
  table.add({101}, {201});
  table.add({101, 102}, {301, 302, 303});
  table.add({104}, {204});
  table.add({104}, {205});
  std::map<int32_t, int64_t> seen;
  for (uint64_t example = 0; example < 400; ++example) {
    Rng rng = rng_for(example);
    const Ids view = substitute(text_of(7), 1, table, 100, rng);
    ASSERT_EQ(view.size(), 8u);
    EXPECT_EQ(Ids(view.begin(), view.begin() + 5), (Ids{0, 301, 302, 303, 103}));
    ++seen[view[5]];
  }
  EXPECT_TRUE(is_uniform(seen, 2));
}

TEST(Substitute, ReplacesTheCountOfTheRule) {
  SynonymTable table;
  for (int32_t id = 101; id < 149; ++id) table.add({id}, {id + 1000});
  double sum = 0;
  for (uint64_t example = 0; example < 400; ++example) {
    Rng rng = rng_for(example);
    const Ids view = substitute(text_of(50), 0.31, table, 100, rng);
    const int64_t replaced =
        std::count_if(view.begin(), view.end(), [](int32_t id) { return id > 1000; });
    EXPECT_TRUE(replaced == 15 || replaced == 16) << replaced;
    sum += static_cast<double>(replaced);
  }
  EXPECT_NEAR(sum / 400, 15.5, 0.13);
  Rng rng = rng_for(1);
  const Ids all = substitute(text_of(12), 0.99, table, 100, rng);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](int32_t id) { return id > 1000; }), 10)
      << "all, if there are fewer";
}

// Two candidates for each token of text_of(n).
SynonymTable two_for_each(int32_t n) {
  SynonymTable table;
  for (int32_t id = 101; id < 99 + n; ++id)
    table.add({id}, {id + 1000}), table.add({id}, {id + 2000});
  return table;
}

// Two of six matches with one of two candidates each give 60 texts, which must be equally likely.
TEST(Substitute, EveryChoiceIsAsLikely) {
  const SynonymTable table = two_for_each(8);
  std::map<Ids, int64_t> seen;
  for (uint64_t example = 0; example < 20000; ++example) {
    Rng rng = rng_for(example);
    ++seen[substitute(text_of(8), 0.25, table, 100, rng)];
  }
  EXPECT_TRUE(is_uniform(seen, 60));
}

TEST(Substitute, ALongMatchIsAsLikelyAsAShortOne) {
  SynonymTable table;
  table.add({101, 102, 103, 104}, {201});
  table.add({106}, {206});
  table.add({107, 108}, {207, 208});
  std::map<Ids, int64_t> seen;
  for (uint64_t example = 0; example < 10000; ++example) {
    Rng rng = rng_for(example);
    ++seen[substitute(text_of(10), 0.1, table, 100, rng)];
  }
  EXPECT_TRUE(is_uniform(seen, 3));
}

TEST(Substitute, ViewsAreIndependent) {
  const SynonymTable table = two_for_each(5);
  EXPECT_TRUE(views_are_independent(
      [&](Rng& rng) { return substitute(text_of(5), 0.4, table, 100, rng); }));
}

TEST(Substitute, WithoutASynonymTheTextStays) {
  SynonymTable table;
  table.add({0}, {7});
  table.add({2}, {8});
  Rng rng = rng_for(2);
  EXPECT_EQ(substitute(text_of(20), 0.3, table, 100, rng), text_of(20))
      << "the ends are never replaced";
}

TEST(Substitute, NeverExceedsTheLongestLength) {
  SynonymTable table;
  for (int32_t id = 101; id < 119; ++id) table.add({id}, {500, 501, 502});
  for (uint64_t example = 0; example < 50; ++example) {
    Rng rng = rng_for(example);
    const Ids view = substitute(text_of(20), 0.5, table, 25, rng);
    EXPECT_EQ(view.size(), 24u) << "two replacements add two ids each, the third would be too long";
    EXPECT_EQ(view.back(), 2);
  }
}

}  // namespace
}  // namespace contrastive::augment
