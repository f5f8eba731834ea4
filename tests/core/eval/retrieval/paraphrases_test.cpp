// Against sentence-transformers' ParaphraseMiningEvaluator (tests/golden/eval/retrieval.py).
#include "core/eval/retrieval/paraphrases.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/retrieval/table_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Paraphrases, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_retrieval.json")["paraphrases"];
  for (const Json& one : golden["cases"]) {
    ParaphraseData data;
    for (int64_t row = 0; row < 60; ++row) data.texts.push_back(row_text(row));
    data.paraphrases = Paraphrases(60, one["transitive"].get<bool>());
    for (const Json& pair : golden["duplicates"])
      data.paraphrases.add(pair[0].get<int64_t>(), pair[1].get<int64_t>());
    SimilarPairOptions options;
    options.top_k = one["top_k"].get<int64_t>();
    options.max_pairs = one["max_pairs"].get<int64_t>();
    const Json json = evaluate_paraphrases(data, table_encoder(), options).to_json();
    for (const char* figure : {"average_precision", "f1", "precision", "recall", "threshold"}) {
      EXPECT_NEAR(json[figure].get<double>(), one["metrics"][figure].get<double>(), 1e-6)
          << figure << " of " << one.dump();
    }
  }
}

TEST(Paraphrases, AnEmbeddingOfNaNIsAnError) {
  ParaphraseData data;
  for (int64_t row = 0; row < 4; ++row) data.texts.push_back(row_text(row));
  data.paraphrases = Paraphrases(4, false);
  data.paraphrases.add(0, 1);
  TextEncoder encoder = table_encoder();
  encoder.encode = [encode = encoder.encode](const std::vector<std::string_view>& texts,
                                             float* embeddings) {
    encode(texts, embeddings);
    embeddings[0] = std::nanf("");
  };
  expect_error(Status::kNumeric, "the embedding of text 1 holds NaN or infinity",
               [&] { evaluate_paraphrases(data, encoder, SimilarPairOptions()); });
}

TEST(Paraphrases, ChainsCountWhereTheyAreTransitive) {
  for (const bool transitive : {false, true}) {
    Paraphrases paraphrases(6, transitive);
    paraphrases.add(0, 1);
    paraphrases.add(2, 1);
    paraphrases.add(1, 2);
    paraphrases.add(4, 5);
    paraphrases.add(3, 3);
    EXPECT_EQ(paraphrases.count(), transitive ? 4 : 3);
    EXPECT_TRUE(paraphrases.contains(1, 0));
    EXPECT_EQ(paraphrases.contains(0, 2), transitive);
    EXPECT_FALSE(paraphrases.contains(3, 3));
    EXPECT_FALSE(paraphrases.contains(0, 4));
  }
}

}  // namespace
}  // namespace contrastive::eval
