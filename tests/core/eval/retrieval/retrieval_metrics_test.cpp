// Against sentence-transformers' InformationRetrievalEvaluator (tests/golden/eval/make.py for the figures alone, retrieval.py with the search) and
// values worked out by hand.
#include "core/eval/retrieval/retrieval_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/retrieval/table_encoder.h"

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

TEST(RetrievalMetrics, AccuracyAndPrecision) {
  // Relevant at ranks 2 and 3 of 3 found; nothing found; k beyond the list still divides by k.
  const std::vector<Judgements> judged = {{{1, 1.0}, {2, 1.0}}, {{9, 1.0}}};
  const auto at = retrieval_metrics({{0, 1, 2}, {3, 4, 5}}, judged, {1, 2, 10});
  EXPECT_EQ(at[0].accuracy, 0);
  EXPECT_EQ(at[1].accuracy, 0.5);
  EXPECT_EQ(at[1].precision, 0.25);
  EXPECT_NEAR(at[2].precision, 0.1, 1e-12);
}

TEST(Retrieval, EqualsSentenceTransformersWithTheSearch) {
  const Json& golden = fixture("eval_retrieval.json")["retrieval"];
  RetrievalData data;
  for (const Json& row : golden["queries"]) data.queries.push_back(row_text(row.get<int64_t>()));
  for (const Json& row : golden["documents"]) data.documents.push_back(row_text(row.get<int64_t>()));
  for (const Json& rows : golden["relevant"]) {
    auto& judgements = data.judged.emplace_back();
    for (const Json& row : rows) judgements[row.get<int64_t>() - 12] = 1;  // documents begin with row 12
  }
  const auto ks = golden["k"].get<std::vector<int64_t>>();
  const Json json = evaluate_retrieval(data, table_encoder(), table_encoder(), retrieval::Metric::kCosine, ks).to_json();
  for (const auto& [name, value] : golden["metrics"].items()) {
    EXPECT_NEAR(json[name.substr(std::string("cosine_").size())].get<double>(), value.get<double>(), 1e-12) << name;
  }
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

TEST(RetrievalFiles, AFolderOfBeirByItsNames) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() + "/qrels");
  const auto error = [&](const std::string& split) { return error_of([&] { beir_files(folder.path(), split); }); };
  EXPECT_EQ(error("test").status(), Status::kNotFound);
  EXPECT_THAT(error("test").message(), HasSubstr("qrels/test.tsv"));
  folder.write("qrels/dev.tsv", "b\td2\t1\n");
  EXPECT_THAT(error("dev").message(), HasSubstr("queries.jsonl"));
  folder.write("queries.jsonl", "{\"_id\": \"b\", \"text\": \"judged\"}\n");
  // "{"_id": "d2", "text": "two"}\n", packed by gzip.
  const char packed[] =
      "\037\213\010\000\000\000\000\000\002\377\253\126\212\317\114\121\262\122\120\112\061\122\322\121\120\052\111\255\050\001"
      "\361\112\312\363\225\152\271\000\125\305\010\024\035\000\000\000";
  folder.write("corpus.jsonl.gz", std::string(packed, sizeof packed - 1));
  const BeirFiles files = beir_files(folder.path(), "dev");
  const RetrievalData data = read_beir(files.queries, files.corpus, files.judgements);
  EXPECT_EQ(data.documents, std::vector<std::string>{"two"});
  EXPECT_EQ(data.judged[0], (Judgements{{0, 1.0}}));
}

TEST(RetrievalFiles, ADocumentWithTheIdOfItsQueryMayBeIgnored) {
  const TempFolder folder;
  const std::string corpus = folder.write(
      "corpus.jsonl", "{\"_id\": \"1\", \"text\": \"ab\"}\n{\"_id\": \"2\", \"text\": \"abc\"}\n{\"_id\": \"3\", \"text\": \"xyz\"}\n");
  const std::string queries = folder.write("queries.jsonl", "{\"_id\": \"3\", \"text\": \"z\"}\n{\"_id\": \"1\", \"text\": \"ab\"}\n");
  const std::string judgements = folder.write("q.tsv", "1\t2\t1\n1\t1\t1\n3\t3\t1\n");
  LetterEncoder letters;
  const auto figures = [&](bool ignore) {
    const RetrievalData data = read_beir(queries, corpus, judgements, ignore);
    return evaluate_retrieval(data, letters.encoder(), letters.encoder(), retrieval::Metric::kCosine, {1}).to_json();
  };
  EXPECT_EQ(figures(false)["queries"], 2);
  EXPECT_EQ(figures(false)["recall@1"], 0.75);
  const Json ignored = figures(true);  // query 3 has nothing left to find, and query 1 finds 2 first
  EXPECT_EQ(ignored["queries"], 1);
  EXPECT_EQ(ignored["recall@1"], 1.0);
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
  EXPECT_EQ(json["accuracy@1"], 0.5);
  EXPECT_EQ(json["precision@50"], 0.02);
}

}  // namespace
}  // namespace contrastive::eval
