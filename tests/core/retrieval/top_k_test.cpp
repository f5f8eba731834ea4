#include "core/retrieval/top_k.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

#include "core/runtime/threads.h"
#include "tests/core/retrieval/vectors.h"
#include "tests/expect_error.h"

namespace contrastive::retrieval {
namespace {

struct Found {
  std::vector<int64_t> indices;
  std::vector<float> scores;
  bool operator==(const Found& other) const {
    return indices == other.indices && scores == other.scores;
  }
};

Found search(const std::vector<float>& queries, const std::vector<float>& corpus, int64_t d,
             const TopKOptions& options) {
  const int64_t n = static_cast<int64_t>(queries.size()) / d;
  Found found{std::vector<int64_t>(n * options.k, -7), std::vector<float>(n * options.k, -7)};
  top_k(queries.data(), n, corpus.data(), static_cast<int64_t>(corpus.size()) / d, d, options,
        found.indices.data(), found.scores.data());
  return found;
}

// All scores, sorted, which top_k must equal exactly.
Found by_sorting(const std::vector<float>& queries, const std::vector<float>& corpus, int64_t d,
                 const TopKOptions& options) {
  const int64_t n = static_cast<int64_t>(queries.size()) / d,
                m = static_cast<int64_t>(corpus.size()) / d;
  std::vector<float> scores(n * m);
  similarity(queries.data(), n, corpus.data(), m, d, options.metric, scores.data());
  Found found;
  for (int64_t i = 0; i < n; ++i) {
    std::vector<int64_t> order(m);
    std::iota(order.begin(), order.end(), 0);
    if (options.exclude_same_index)
      order.erase(std::remove(order.begin(), order.end(), i), order.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t x, int64_t y) { return scores[i * m + x] > scores[i * m + y]; });
    for (int64_t k = 0; k < options.k; ++k) {
      const bool there = k < static_cast<int64_t>(order.size());
      found.indices.push_back(there ? order[k] : -1);
      found.scores.push_back(there ? scores[i * m + order[k]]
                                   : -std::numeric_limits<float>::infinity());
    }
  }
  return found;
}

TEST(TopK, EqualsSortingAllScores) {
  const int64_t d = 24;
  const std::vector<float> corpus = random_vectors(5003, d, 1);
  for (int64_t n : {1, 3, 4, 5, 33, 150}) {
    const std::vector<float> queries = random_vectors(n, d, 2);
    for (Metric metric : kAllMetrics) {
      for (int64_t k : {1, 10, 700})
        EXPECT_EQ(search(queries, corpus, d, {metric, k}),
                  by_sorting(queries, corpus, d, {metric, k}))
            << n << " " << k;
    }
  }
}

TEST(TopK, TiesGoToTheLowerIndex) {
  const int64_t d = 2, n = 6000;
  std::vector<float> corpus;
  for (int64_t i = 0; i < n; ++i)
    corpus.insert(corpus.end(),
                  {static_cast<float>(i % 3), 1});  // three distinct vectors, 2,000 times each
  const std::vector<float> queries = random_vectors(40, d, 3);
  for (Metric metric : kAllMetrics) {
    for (int64_t k : {5, 2500})
      EXPECT_EQ(search(queries, corpus, d, {metric, k}),
                by_sorting(queries, corpus, d, {metric, k}));
  }
}

TEST(TopK, EveryOrderOfTheCorpusWorks) {
  // Ascending scores keep replacing the candidates, descending ones never do.
  const int64_t n = 20000;
  std::vector<float> corpus(n);
  std::iota(corpus.begin(), corpus.end(), -5000.0f);
  const std::vector<float> queries = {1, -1, 0.5f};
  EXPECT_EQ(search(queries, corpus, 1, {Metric::kDot, 25}),
            by_sorting(queries, corpus, 1, {Metric::kDot, 25}));
  EXPECT_EQ(search(queries, corpus, 1, {Metric::kEuclidean, 25}),
            by_sorting(queries, corpus, 1, {Metric::kEuclidean, 25}));
}

TEST(TopK, ThreadCountAndBatchDoNotMatter) {
  const int64_t d = 64;
  const std::vector<float> corpus = random_vectors(9000, d, 4),
                           queries = random_vectors(4500, d, 5);  // more than one internal batch
  const Found expected = search(queries, corpus, d, {Metric::kCosine, 3});
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(search(queries, corpus, d, {Metric::kCosine, 3}), expected);
  }
  const std::vector<float> last(queries.end() - d, queries.end());
  const Found alone = search(last, corpus, d, {Metric::kCosine, 3});
  EXPECT_EQ(alone.indices,
            std::vector<int64_t>(expected.indices.end() - 3, expected.indices.end()));
  EXPECT_EQ(alone.scores, std::vector<float>(expected.scores.end() - 3, expected.scores.end()));
}

TEST(TopK, MoreThanThereAreIsFilled) {
  const std::vector<float> corpus = {1, 0, 0, 1}, query = {0, 2};
  const float none = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(search(query, corpus, 2, {Metric::kCosine, 4}),
            (Found{{1, 0, -1, -1}, {1, 0, none, none}}));
  EXPECT_EQ(search(query, {}, 2, {Metric::kCosine, 2}), (Found{{-1, -1}, {none, none}}));
}

TEST(TopK, AQueryMayLeaveOutItself) {
  const int64_t d = 16;
  const std::vector<float> set = random_vectors(300, d, 6);
  TopKOptions options{Metric::kCosine, 300};
  options.exclude_same_index = true;
  EXPECT_EQ(search(set, set, d, options), by_sorting(set, set, d, options));
}

TEST(TopK, ZeroAndExtremeVectorsAreRanked) {
  const std::vector<float> corpus = {0, 0, 1e30f, 1e30f, -1e30f, 1e30f, 1e-40f, 0},
                           query = {1e30f, 1e30f};
  EXPECT_EQ(search(query, corpus, 2, {Metric::kCosine, 4}),
            by_sorting(query, corpus, 2, {Metric::kCosine, 4}));
  EXPECT_EQ(search(query, corpus, 2, {Metric::kCosine, 4}).indices,
            (std::vector<int64_t>{1, 3, 0, 2}));
  EXPECT_EQ(search(query, corpus, 2, {Metric::kDot, 4}),
            by_sorting(query, corpus, 2, {Metric::kDot, 4}));
}

TEST(TopK, NotANumberIsAnError) {
  std::vector<float> corpus = random_vectors(50, 4, 7);
  corpus[8 * 4 + 1] = std::nanf("");
  const std::vector<float> queries = random_vectors(20, 4, 8);
  for (const Metric metric : kAllMetrics) {
    expect_error(Status::kNumeric, "corpus: vector 8 has NaN or infinity in dimension 1",
                 [&] { search(queries, corpus, 4, {metric, 1}); });
    expect_error(Status::kNumeric, "queries: vector 8 has",
                 [&] { search(corpus, queries, 4, {metric, 1}); });
  }
}

TEST(TopK, CanBeCancelled) {
  const std::vector<float> corpus = random_vectors(3000, 8, 9), queries = random_vectors(2, 8, 10);
  Cancel cancel;
  TopKOptions options{Metric::kDot, 5};
  options.cancel = &cancel;
  EXPECT_NO_THROW(search(queries, corpus, 8, options));
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { search(queries, corpus, 8, options); });
}

TEST(TopK, ManyCallersAtOnceGetTheirOwnResults) {
  const int64_t d = 32;
  const std::vector<float> corpus = random_vectors(4000, d, 11);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (uint64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      const std::vector<float> queries = random_vectors(20, d, 100 + caller);
      const Found expected = by_sorting(queries, corpus, d, {Metric::kCosine, 7});
      for (int i = 0; i < 5; ++i)
        wrong += !(search(queries, corpus, d, {Metric::kCosine, 7}) == expected);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(TopK, EmptyAndBadArguments) {
  float x = 1, score = 7;
  int64_t index = 7;
  top_k(nullptr, 0, &x, 1, 1, {}, nullptr, nullptr);
  expect_error(Status::kArgument, "vectors are NULL",
               [&] { top_k(nullptr, 1, &x, 1, 1, {Metric::kDot, 1}, &index, &score); });
  expect_error(Status::kArgument, "k is 0: at least 1 is needed",
               [&] { top_k(&x, 1, &x, 1, 1, {Metric::kDot, 0}, &index, &score); });
  expect_error(Status::kArgument, "dimension is 0: at least 1 is needed",
               [&] { top_k(&x, 1, &x, 1, 0, {Metric::kDot, 1}, &index, &score); });
  expect_error(Status::kArgument, "search of 1 queries in -1 rows",
               [&] { top_k(&x, 1, &x, -1, 1, {Metric::kDot, 1}, &index, &score); });
  expect_error(Status::kArgument, "indices or scores is NULL",
               [&] { top_k(&x, 1, &x, 1, 1, {Metric::kDot, 1}, nullptr, &score); });
  expect_error(Status::kLimit, "corpus overflows: 4611686018427387904 x 8",
               [&] { top_k(&x, 1, &x, int64_t{1} << 62, 8, {Metric::kDot, 1}, &index, &score); });
  EXPECT_EQ(index, 7);
}

}  // namespace
}  // namespace contrastive::retrieval
