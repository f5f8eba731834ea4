#include "core/torch/tasks/transfer/k_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using Numbers = std::vector<int64_t>;

Rng rng(uint64_t seed) { return Rng(seed, Purpose::kSubset); }

// Class counts of each fold against scikit-learn's (tests/golden/eval/probe.py).
TEST(KFold, ClassesAreSpreadAsScikitLearnSpreadsThem) {
  const Json& cases = fixture("probe_golden.json")["folds"];
  ASSERT_GE(cases.size(), 8u);
  for (const Json& c : cases) {
    const auto labels = c["labels"].get<Numbers>();
    for (const uint64_t seed : {1, 2}) {
      const Numbers folds = stratified_folds(labels, c["folds"], rng(seed));
      std::vector<Numbers> counts(c["folds"].get<size_t>(), Numbers(c["classes"].get<size_t>()));
      for (size_t i = 0; i < labels.size(); ++i)
        ++counts.at(static_cast<size_t>(folds[i])).at(static_cast<size_t>(labels[i]));
      EXPECT_EQ(counts, c["counts"].get<std::vector<Numbers>>())
          << c["folds"] << " folds of " << labels.size();
    }
  }
}

TEST(KFold, WhichExamplesIsDrawn) {
  const Numbers labels(30, 4);
  const Numbers folds = stratified_folds(labels, 3, rng(1));
  EXPECT_EQ(folds, stratified_folds(labels, 3, rng(1)));
  EXPECT_NE(folds, stratified_folds(labels, 3, rng(2)));
  EXPECT_FALSE(std::is_sorted(folds.begin(), folds.end()));
}

TEST(KFold, RefusesWhatCannotBeSpread) {
  expect_error(Status::kArgument, "at least 2", [] { stratified_folds({0, 1, 0}, 1, rng(1)); });
  expect_error(Status::kArgument, "no class has more than 2",
               [] { stratified_folds({0, 1, 0}, 3, rng(1)); });
  expect_error(Status::kArgument, "kfold is 2, but no class has more than 0 examples",
               [] { stratified_folds({}, 2, rng(1)); });
}

TEST(KFold, SplitsAndHoldOutsAreWholeAndApart) {
  const FoldSplit split = split_at({2, 0, 1, 0, 2}, 0);
  EXPECT_EQ(split.held_out, (Numbers{1, 3}));
  EXPECT_EQ(split.rest, (Numbers{0, 2, 4}));
  for (const int64_t count : {2, 19, 20, 399}) {
    const FoldSplit some = random_hold_out(count, 0.05, rng(7));
    EXPECT_EQ(static_cast<int64_t>(some.held_out.size()), std::max<int64_t>(1, count / 20));
    std::set<int64_t> all(some.rest.begin(), some.rest.end());
    all.insert(some.held_out.begin(), some.held_out.end());
    EXPECT_EQ(static_cast<int64_t>(all.size()), count);
    EXPECT_EQ(static_cast<int64_t>(some.rest.size() + some.held_out.size()), count);
  }
  EXPECT_NE(random_hold_out(399, 0.05, rng(7)).held_out,
            random_hold_out(399, 0.05, rng(8)).held_out);
}

}  // namespace
}  // namespace contrastive::eval
