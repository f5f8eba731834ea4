// Against sentence-transformers' InformationRetrievalEvaluator (tests/golden/eval/make.py) and values worked out by hand.
#include "core/eval/retrieval/retrieval_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

TEST(RetrievalMetrics, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_golden.json")["retrieval"];
  std::vector<Judgements> judged;
  for (const Json& ids : golden["relevant"]) {
    auto& judgements = judged.emplace_back();
    for (const Json& id : ids) judgements[id.get<int64_t>()] = 1;
  }
  const auto results = retrieval_metrics(golden["ranked"].get<std::vector<std::vector<int64_t>>>(), judged, golden["k"].get<std::vector<int64_t>>());
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
  const MetricsAtK m = retrieval_metrics({{1, -1, -1}, {0}, {}}, {{{0, 1.0}, {1, 1.0}}, {}, {{3, 1.0}}}, {10})[0];
  EXPECT_EQ(m.recall, 0.25);
  EXPECT_EQ(m.mrr, 0.5);
  EXPECT_EQ(error_of([] { retrieval_metrics({{1}}, {{}}, {1}); }).status(), Status::kArgument);
  EXPECT_EQ(error_of([] { retrieval_metrics({{1}}, {{{1, 1.0}}}, {0}); }).status(), Status::kArgument);
  EXPECT_EQ(error_of([] { retrieval_metrics({{1}}, {}, {1}); }).status(), Status::kMismatch);
}

TEST(RetrievalFiles, EqualDocumentsOfPairsAreOneDocument) {
  const TempFolder folder;
  const RetrievalData data = read_pairs(folder.write("pairs.tsv", "q1\tsame\nq2\tother\nq3\tsame\n"));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"same", "other"}));
  EXPECT_EQ(data.judged[2], (Judgements{{0, 1.0}}));
  EXPECT_EQ(error_of([&] { read_pairs(folder.write("bad.tsv", "q\td\tx\n")); }).status(), Status::kFormat);
}

TEST(RetrievalFiles, ReadsTheLayoutOfBeir) {
  const TempFolder folder;
  const std::string corpus = folder.write(
      "corpus.jsonl", "{\"_id\": \"d1\", \"title\": \"T\", \"text\": \"one\"}\n"
      "{\"_id\": \"d2\", \"title\": \"\", \"text\": \"two\"}\n");
  const std::string queries = folder.write("queries.jsonl", "{\"_id\": \"a\", \"text\": \"not judged\"}\n\n{\"_id\": \"b\", \"text\": \"judged\"}\n");
  const RetrievalData data = read_beir(queries, corpus, folder.write("q.tsv", "query-id\tcorpus-id\tscore\nb\td2\t2\nb\td1\t0\na\td1\t0\n"));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"T one", "two"}));
  EXPECT_EQ(data.queries, (std::vector<std::string>{"judged"}));
  EXPECT_EQ(data.judged[0], (Judgements{{1, 2.0}}));

  const auto error = [&](const std::string& judgements) { return error_of([&] { read_beir(queries, corpus, folder.write("e.tsv", judgements)); }); };
  EXPECT_THAT(error("b\td9\t1\n").message(), HasSubstr("e.tsv:1: no document has the _id 'd9'"));
  EXPECT_EQ(error("b\td9\t1\n").status(), Status::kNotFound);
  EXPECT_THAT(error("b\td1\tyes\n").message(), HasSubstr("e.tsv:1: grade 'yes'"));
  EXPECT_EQ(error("b\td1\t0\n").status(), Status::kFormat);
  const std::string twice = folder.write("twice.jsonl", "{\"_id\": \"b\", \"text\": \"x\"}\n{\"_id\": \"b\", \"text\": \"y\"}\n");
  EXPECT_THAT(error_of([&] { read_beir(twice, corpus, folder.write("e.tsv", "b\td1\t1\n")); }).message(), HasSubstr("twice.jsonl:2"));
}

TEST(Retrieval, FindsWithAnEncoder) {
  RetrievalData data;
  data.queries = {"ab", "cd", "xy", "ab"};
  data.documents = {"abc", "cde", "abd"};
  data.judged = {{{0, 1.0}}, {{1, 1.0}}, {{1, 1.0}}, {{2, 1.0}}};
  LetterEncoder letters;
  const RetrievalReport report = evaluate_retrieval(data, letters.encoder(), letters.encoder(), retrieval::Metric::kCosine, {1, 50});
  EXPECT_EQ(letters.encoded, 3 + 3);
  // "ab" ties between documents 0 and 2, the lower first; "xy" has cosine 0 with all: 0, 1, 2.
  EXPECT_EQ(report.at[0].recall, 0.5);
  EXPECT_EQ(report.at[1].recall, 1.0);
  EXPECT_EQ(report.at[1].mrr, (1 + 1 + 0.5 + 0.5) / 4);
  const Json json = report.to_json();
  EXPECT_EQ(json["recall@1"], 0.5);
  EXPECT_EQ(json["documents"], 3);
  EXPECT_EQ(json["mrr@50"], 0.75);
}

}  // namespace
}  // namespace contrastive::eval
