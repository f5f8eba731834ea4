// Against sentence-transformers' TripletEvaluator (tests/golden/eval/retrieval.py).
#include "core/eval/retrieval/triplets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/core/eval/retrieval/table_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Triplets, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_retrieval.json")["triplets"];
  Triplets triplets;
  for (const Json& row : golden["rows"]) {
    triplets.anchors.push_back(row_text(row[0].get<int64_t>()));
    triplets.positives.push_back(row_text(row[1].get<int64_t>()));
    triplets.negatives.push_back(row_text(row[2].get<int64_t>()));
  }
  const Json plain = evaluate_triplets(triplets, table_encoder()).to_json();
  const Json margin =
      evaluate_triplets(triplets, table_encoder(), golden["margin"].get<double>()).to_json();
  EXPECT_EQ(plain["triplets"], 70);
  for (const std::string metric : {"cosine", "dot", "euclidean", "manhattan"}) {
    EXPECT_NEAR(plain["accuracy"][metric].get<double>(),
                golden["metrics"][metric + "_accuracy"].get<double>(), 1e-6)
        << metric;
    EXPECT_NEAR(margin["accuracy"][metric].get<double>(),
                golden["metrics_margin"][metric + "_accuracy"].get<double>(), 1e-6)
        << metric;
  }
}

TEST(Triplets, ATieIsWrongAndTextsAreEncodedOnce) {
  LetterEncoder letters;
  const Json json =
      evaluate_triplets({{"ab", "ab"}, {"abc", "xy"}, {"xy", "xy"}}, letters.encoder()).to_json();
  EXPECT_EQ(json["accuracy"]["cosine"], 0.5);
  EXPECT_EQ(letters.encoded, 3);
  expect_error(Status::kArgument, "no triplets", [&] { evaluate_triplets({}, letters.encoder()); });
  const TextEncoder broken{1, [](const std::vector<std::string_view>& texts, float* to) {
                             std::fill_n(to, texts.size(), std::numeric_limits<float>::quiet_NaN());
                           }};
  expect_error(Status::kNumeric, "pair 0 has a vector with NaN or infinity",
               [&] { evaluate_triplets({{"a"}, {"b"}, {"c"}}, broken); });
}

TEST(Triplets, ReadsLinesAndNamesBadOnes) {
  const TemporaryFolder folder;
  const Triplets triplets = read_triplets(folder.write("t.tsv", "a\tb\tc\n\nd\t\tf\n"));
  EXPECT_EQ(triplets.anchors, (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(triplets.positives, (std::vector<std::string>{"b", ""}));
  EXPECT_EQ(triplets.negatives, (std::vector<std::string>{"c", "f"}));
  expect_error(Status::kFormat, "bad.tsv:2",
               [&] { read_triplets(folder.write("bad.tsv", "a\tb\tc\na\tb\n")); });
}

}  // namespace
}  // namespace contrastive::eval
