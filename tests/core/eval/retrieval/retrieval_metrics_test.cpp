// Against sentence-transformers' InformationRetrievalEvaluator (tests/golden/eval/make.py) and
// hand-computed values.
#include "core/eval/retrieval/retrieval_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/retrieval/table_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(RetrievalMetrics, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_golden.json")["retrieval"];
  std::vector<Judgements> judged;
  for (const Json& ids : golden["relevant"]) {
    auto& judgements = judged.emplace_back();
    for (const Json& id : ids) judgements[id.get<int64_t>()] = 1;
  }
  const auto results = retrieval_metrics(golden["ranked"].get<std::vector<std::vector<int64_t>>>(),
                                         judged, golden["k"].get<std::vector<int64_t>>());
  ASSERT_EQ(results.size(), 4u);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_NEAR(results[i].recall, golden["recall"][i].get<double>(), 1e-12);
    EXPECT_NEAR(results[i].mrr, golden["mrr"][i].get<double>(), 1e-12);
    EXPECT_NEAR(results[i].ndcg, golden["ndcg"][i].get<double>(), 1e-12);
    EXPECT_NEAR(results[i].map, golden["map"][i].get<double>(), 1e-12);
  }
}

TEST(RetrievalMetrics, GradesAreGains) {
  // Found: grade 1 at rank 1, grade 3 at rank 3; not found: grade 2.
  const MetricsAtK m = retrieval_metrics({{4, 9, 7}}, {{{4, 1.0}, {7, 3.0}, {5, 2.0}}}, {3})[0];
  const double best = 3 + 2 / std::log2(3) + 1 / 2.0;
  EXPECT_NEAR(m.ndcg, (1 + 3 / 2.0) / best, 1e-12);
  EXPECT_NEAR(m.recall, 2.0 / 3, 1e-12);
  EXPECT_NEAR(m.map, (1 + 2.0 / 3) / 3, 1e-12);
  EXPECT_EQ(m.mrr, 1);
}

TEST(RetrievalMetrics, QueriesWithoutJudgementsAndShortLists) {
  const MetricsAtK m =
      retrieval_metrics({{1, -1, -1}, {0}, {}}, {{{0, 1.0}, {1, 1.0}}, {}, {{3, 1.0}}}, {10})[0];
  EXPECT_EQ(m.recall, 0.25);
  EXPECT_EQ(m.mrr, 0.5);
  expect_error(Status::kArgument, "no query has a relevant document",
               [] { retrieval_metrics({{1}}, {{}}, {1}); });
  expect_error(Status::kArgument, "k is 0: at least 1 is needed",
               [] { retrieval_metrics({{1}}, {{{1, 1.0}}}, {0}); });
  expect_error(Status::kMismatch, "ranked lists of 1 queries and judgements of 0",
               [] { retrieval_metrics({{1}}, {}, {1}); });
}

TEST(RetrievalMetrics, AccuracyAndPrecision) {
  // Relevant at ranks 2 and 3 of 3 found; nothing found; k beyond the list still divides by k.
  const std::vector<Judgements> judged = {{{1, 1.0}, {2, 1.0}}, {{9, 1.0}}};
  const auto at = retrieval_metrics({{0, 1, 2}, {3, 4, 5}}, judged, {1, 2, 10});
  EXPECT_EQ(at[0].accuracy, 0);
  EXPECT_EQ(at[1].accuracy, 0.5);
  EXPECT_EQ(at[1].precision, 0.25);
  EXPECT_NEAR(at[2].precision, 0.1, 1e-12);
}

}  // namespace
}  // namespace contrastive::eval
