// Against sentence-transformers' InformationRetrievalEvaluator (tests/golden/eval/retrieval.py) and
// hand-computed values.
#include "core/eval/retrieval/retrieval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/retrieval/table_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Retrieval, ADocumentWithTheIdOfItsQueryMayBeIgnored) {
  const TemporaryFolder folder;
  const std::string corpus =
      folder.write("corpus.jsonl", "{\"_id\": \"1\", \"text\": \"ab\"}\n{\"_id\": \"2\", \"text\": "
                                   "\"abc\"}\n{\"_id\": \"3\", \"text\": \"xyz\"}\n");
  const std::string queries =
      folder.write("queries.jsonl",
                   "{\"_id\": \"3\", \"text\": \"z\"}\n{\"_id\": \"1\", \"text\": \"ab\"}\n");
  const std::string judgements = folder.write("q.tsv", "1\t2\t1\n1\t1\t1\n3\t3\t1\n");
  LetterEncoder letters;
  const auto figures = [&](bool ignore) {
    const RetrievalData data = read_beir(queries, corpus, judgements, ignore);
    return evaluate_retrieval(data, letters.encoder(), letters.encoder(),
                              retrieval::Metric::kCosine, {1})
        .to_json();
  };
  EXPECT_EQ(figures(false)["queries"], 2);
  EXPECT_EQ(figures(false)["recall@1"], 0.75);
  const Json ignored =
      figures(true);  // query 3 has nothing left to find, and query 1 finds 2 first
  EXPECT_EQ(ignored["queries"], 1);
  EXPECT_EQ(ignored["recall@1"], 1.0);
}

TEST(Retrieval, EqualsSentenceTransformersWithTheSearch) {
  const Json& golden = fixture("eval_retrieval.json")["retrieval"];
  RetrievalData data;
  for (const Json& row : golden["queries"]) data.queries.push_back(row_text(row.get<int64_t>()));
  for (const Json& row : golden["documents"])
    data.documents.push_back(row_text(row.get<int64_t>()));
  for (const Json& rows : golden["relevant"]) {
    auto& judgements = data.judged.emplace_back();
    for (const Json& row : rows)
      judgements[row.get<int64_t>() - 12] = 1;  // documents begin with row 12
  }
  const auto ks = golden["k"].get<std::vector<int64_t>>();
  const Json json =
      evaluate_retrieval(data, table_encoder(), table_encoder(), retrieval::Metric::kCosine, ks)
          .to_json();
  for (const auto& [name, value] : golden["metrics"].items()) {
    EXPECT_NEAR(json[name.substr(std::string("cosine_").size())].get<double>(), value.get<double>(),
                1e-12)
        << name;
  }
}

TEST(Retrieval, FindsWithAnEncoder) {
  RetrievalData data;
  data.queries = {"ab", "cd", "xy", "ab"};
  data.documents = {"abc", "cde", "abd"};
  data.judged = {{{0, 1.0}}, {{1, 1.0}}, {{1, 1.0}}, {{2, 1.0}}};
  LetterEncoder letters;
  const RetrievalReport report = evaluate_retrieval(data, letters.encoder(), letters.encoder(),
                                                    retrieval::Metric::kCosine, {1, 50});
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

// A vector of NaN is never found, so recall would be low without a visible reason.
TEST(Retrieval, AnEmbeddingOfNaNIsAnError) {
  RetrievalData data;
  data.queries = {"ab", "cd"};
  data.documents = {"abc", "cde", "x"};
  data.judged = {{{0, 1.0}}, {{1, 1.0}}};
  LetterEncoder letters;
  const TextEncoder sound = letters.encoder();
  const TextEncoder broken{sound.dimension,
                           [&](const std::vector<std::string_view>& texts, float* embeddings) {
                             sound.encode(texts, embeddings);
                             for (size_t i = 0; i < texts.size(); ++i) {
                               if (texts[i] == "cd" || texts[i] == "x")
                                 embeddings[(i + 1) * sound.dimension - 1] = std::nanf("");
                             }
                           }};
  const auto score = [&](const TextEncoder& of_queries, const TextEncoder& of_documents) {
    evaluate_retrieval(data, of_queries, of_documents, retrieval::Metric::kCosine, {1}, nullptr,
                       sound.dimension * 4);
  };
  expect_error(Status::kNumeric, "the embedding of distinct query 2 holds NaN or infinity",
               [&] { score(broken, sound); });
  expect_error(Status::kNumeric, "the embedding of document 3 holds NaN or infinity",
               [&] { score(sound, broken); });
}

TEST(Retrieval, PartsOfTheCorpusGiveTheSame) {
  RetrievalData data;
  for (int i = 0; i < 40; ++i) {  // many documents tie, within parts and across them
    data.documents.push_back(std::string(static_cast<size_t>(i % 7 + 1), 'a') +
                             std::string(static_cast<size_t>(i % 5), 'b'));
  }
  for (int i = 0; i < 6; ++i) {
    data.queries.push_back("a" + std::string(static_cast<size_t>(i), 'b'));
    data.judged.push_back({{i, 1.0}, {i + 20, 2.0}});
  }
  data.ignored = {0, -1, -1, 7, -1, 5};
  LetterEncoder letters;
  const auto figures = [&](int64_t documents) {
    return evaluate_retrieval(data, letters.encoder(), letters.encoder(),
                              retrieval::Metric::kCosine, {1, 5, 30, 100}, nullptr,
                              documents * 26 * 4)
        .to_json();
  };
  const Json whole = figures(40);
  for (const int64_t documents : {1, 3, 8, 39}) EXPECT_EQ(figures(documents), whole) << documents;
  EXPECT_EQ(figures(0), whole) << "one document at a time, even if there is memory for none";
}

}  // namespace
}  // namespace contrastive::eval
