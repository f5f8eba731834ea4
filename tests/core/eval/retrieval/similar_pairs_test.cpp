// Against a plain loop over all pairs.
#include "core/eval/retrieval/similar_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/runtime/threads.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/random_points.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

std::vector<std::pair<int64_t, int64_t>> ids(const std::vector<SimilarPair>& pairs) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (const SimilarPair& pair : pairs) result.emplace_back(pair.first, pair.second);
  return result;
}

TEST(SimilarPairs, FindsWhatAPlainLoopFindsForEveryThreadCount) {
  const int64_t n = 300, d = 5;
  const std::vector<float> x = random_points(n, d);
  std::vector<float> scores(n * n);
  retrieval::similarity(x.data(), n, x.data(), n, d, retrieval::Metric::kDot, scores.data());
  std::vector<SimilarPair> all;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) all.push_back({i, j, scores[i * n + j]});
  }
  std::sort(all.begin(), all.end(), [](const SimilarPair& a, const SimilarPair& b) {
    return std::tuple(-a.score, a.first, a.second) < std::tuple(-b.score, b.first, b.second);
  });
  SimilarPairOptions options;
  options.metric = retrieval::Metric::kDot;
  options.top_k = n - 1;
  EXPECT_EQ(ids(most_similar_pairs(x.data(), n, d, options)), ids(all));
  options.top_k = 10000;
  options.max_pairs = 700;  // the list of candidates is cut down more than once
  const std::vector<SimilarPair> best(all.begin(), all.begin() + 700);
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(ids(most_similar_pairs(x.data(), n, d, options)), ids(best));
  }
  options.min_score = all[99].score;
  EXPECT_EQ(most_similar_pairs(x.data(), n, d, options).size(), 100u);
}

TEST(SimilarPairs, TopKCountsTheOthersOnly) {
  const std::vector<float> line = {
      1, 2, 4, 8, 16};  // the nearest other row of each is its left neighbour, except for the first
  SimilarPairOptions options;
  options.metric = retrieval::Metric::kEuclidean;
  options.top_k = 1;
  EXPECT_EQ(ids(most_similar_pairs(line.data(), 5, 1, options)),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(SimilarPairs, EqualRowsAndTooFewRows) {
  const std::vector<float> same(6, 1.0f);
  SimilarPairOptions options;
  options.top_k = 2;
  EXPECT_EQ(ids(most_similar_pairs(same.data(), 3, 2, options)),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_TRUE(most_similar_pairs(same.data(), 1, 2, options).empty());
  EXPECT_TRUE(most_similar_pairs(same.data(), 0, 2, options).empty());
  options.top_k = 0;
  expect_error(Status::kArgument, "top_k is 0 and max_pairs 500000",
               [&] { most_similar_pairs(same.data(), 3, 2, options); });
  Cancel cancel;
  cancel.trigger();
  options.top_k = 1;
  options.cancel = &cancel;
  expect_error(Status::kCancelled, "cancelled",
               [&] { most_similar_pairs(same.data(), 3, 2, options); });
}

}  // namespace
}  // namespace contrastive::eval
