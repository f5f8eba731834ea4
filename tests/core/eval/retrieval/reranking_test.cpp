// Candidate documents in the order of their scores.
#include "core/eval/retrieval/reranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

TEST(Reranking, ReadsTheLinesOfAQueryAsOneList) {
  const TemporaryFolder folder;
  const auto lists =
      read_candidate_lists(folder.write("lists.tsv", "q\tb\ta\nq\tc\ta\nnothing\tx\tx\np\td\te\n"));
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, "p");
  EXPECT_EQ(lists[1].query, "q");
  EXPECT_THAT(lists[1].documents, ElementsAre("a", "b", "c"));
  EXPECT_THAT(lists[1].right, ElementsAre(false, true, true));
  const auto labelled =
      read_candidate_lists(folder.write("labels.tsv", "q\ta\t0\nq\tb\t1\nq\ta\t0\n"));
  ASSERT_EQ(labelled.size(), 1u);
  EXPECT_THAT(labelled[0].documents, ElementsAre("a", "b"));
  EXPECT_THAT(labelled[0].right, ElementsAre(false, true));
}

TEST(Reranking, RefusesAFileWithNothingToRank) {
  const TemporaryFolder folder;
  for (const char* text : {"q\ta\n", "q\ta\ta\n", "q\ta\t1\nq\tb\t1\n"}) {
    const std::string path = folder.write("none.tsv", text);
    SCOPED_TRACE(text);
    expect_error(Status::kFormat, "none.tsv", [&] { read_candidate_lists(path); });
  }
}

TEST(Reranking, MeasuresTheOrder) {
  const std::vector<CandidateList> lists = {{"p", {"a", "b", "c"}, {true, false, false}},
                                            {"q", {"a", "b", "c"}, {false, true, true}}};
  // The order of p is b, a, c; that of q is b, a, c.
  const RerankingReport report = evaluate_reranking(lists, {1, 2, 0, 1, 2, 0}, {1, 3});
  const double second = 1 / std::log2(3.0), third = 0.5;
  EXPECT_EQ(report.queries, 2);
  EXPECT_EQ(report.documents, 6);
  EXPECT_DOUBLE_EQ(report.map, (0.5 + (1 + 2.0 / 3) / 2) / 2);
  EXPECT_DOUBLE_EQ(report.at[0].accuracy, 0.5);
  EXPECT_DOUBLE_EQ(report.at[1].mrr, 0.75);
  EXPECT_DOUBLE_EQ(report.at[1].ndcg, (second + (1 + third) / (1 + second)) / 2);
  // Equal scores: the right documents count as the last ones.
  EXPECT_DOUBLE_EQ(evaluate_reranking(lists, std::vector<float>(6), {3}).at[0].mrr,
                   (1.0 / 3 + 1.0 / 2) / 2);
}

TEST(Reranking, ComparesEmbeddings) {
  // The embedding of a text is (position of its first letter in the alphabet, 1).
  const TextEncoder letters{2, [](const std::vector<std::string_view>& texts, float* out) {
                              for (const std::string_view text : texts) {
                                *out++ = static_cast<float>(text[0] - 'a');
                                *out++ = 1;
                              }
                            }};
  const std::vector<CandidateList> lists = {{"c", {"a", "c"}, {true, false}},
                                            {"b", {"d", "a"}, {true, false}}};
  EXPECT_THAT(candidate_similarities(lists, letters, letters, retrieval::Metric::kDot, nullptr),
              ElementsAre(1, 5, 4, 1));
}

}  // namespace
}  // namespace contrastive::eval
