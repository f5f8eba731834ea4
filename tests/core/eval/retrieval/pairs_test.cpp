// Against sentence-transformers' BinaryClassificationEvaluator (tests/golden/eval/retrieval.py).
#include "core/eval/retrieval/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/retrieval/table_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Pairs, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_retrieval.json")["pairs"];
  LabelledPairs pairs;
  for (size_t i = 0; i < golden["labels"].size(); ++i) {
    pairs.positive.push_back(golden["labels"][i] == 1);
    pairs.first.push_back(row_text(golden["first"][i].get<int64_t>()));
    pairs.second.push_back(row_text(golden["second"][i].get<int64_t>()));
  }
  const Json json = evaluate_pairs(pairs, table_encoder()).to_json();
  EXPECT_EQ(json["pairs"], 80);
  const std::vector<std::pair<std::string, std::string>> figures = {{"accuracy", "accuracy"},
                                                                    {"accuracy_threshold",
                                                                     "accuracy_threshold"},
                                                                    {"f1", "f1"},
                                                                    {"f1_threshold",
                                                                     "f1_threshold"},
                                                                    {"precision", "precision"},
                                                                    {"recall", "recall"},
                                                                    {"average_precision", "ap"},
                                                                    {"mcc", "mcc"}};
  for (const std::string metric : {"cosine", "dot", "euclidean", "manhattan"}) {
    const bool distance = metric == "euclidean" || metric == "manhattan";
    for (const auto& [ours, theirs] : figures) {
      const double sign = distance && ours.find("threshold") != std::string::npos
                              ? -1
                              : 1;  // distances are negated here
      EXPECT_NEAR(json[metric][ours].get<double>(),
                  sign * golden["metrics"][metric + "_" + theirs].get<double>(), 1e-5)
          << metric << " " << ours;
    }
  }
}

TEST(Pairs, DegenerateLabelsAndPredictions) {
  LetterEncoder letters;
  const Json negative =
      evaluate_pairs({{false, false}, {"ab", "cd"}, {"ab", "xy"}}, letters.encoder()).to_json();
  EXPECT_EQ(negative["positives"], 0);
  EXPECT_EQ(negative["cosine"]["accuracy"], 1.0);
  for (const char* figure :
       {"f1", "average_precision", "precision", "recall", "f1_threshold", "mcc"}) {
    EXPECT_TRUE(negative["cosine"][figure].is_null()) << figure;
  }
  const Json one = evaluate_pairs({{true}, {"ab"}, {"ab"}}, letters.encoder()).to_json();
  EXPECT_EQ(one["cosine"]["f1"], 1.0);
  EXPECT_EQ(one["manhattan"]["accuracy"], 1.0);
  const Json constant =
      evaluate_pairs({{true, false}, {"ab", "cd"}, {"ab", "cd"}}, letters.encoder()).to_json();
  EXPECT_EQ(constant["cosine"]["accuracy"], 0.5);
  EXPECT_EQ(constant["cosine"]["average_precision"], 0.5);
  EXPECT_EQ(constant["cosine"]["mcc"], 0.0);
  expect_error(Status::kArgument, "no pairs", [&] { evaluate_pairs({}, letters.encoder()); });
}

TEST(Pairs, EncodesEachDistinctTextOnce) {
  LetterEncoder letters;
  evaluate_pairs({{true, false, true}, {"ab", "ab", "cd"}, {"cd", "xy", "ab"}}, letters.encoder());
  EXPECT_EQ(letters.encoded, 3);
}

TEST(Pairs, ReadsLinesAndNamesBadOnes) {
  const TemporaryFolder folder;
  const LabelledPairs pairs =
      read_labelled_pairs(folder.write("p.tsv", "1\tone\t\"two\n0\t\tthree\r\n"));
  EXPECT_EQ(pairs.positive, (std::vector<bool>{true, false}));
  EXPECT_EQ(pairs.first, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(pairs.second, (std::vector<std::string>{"\"two", "three"}));
  const auto read = [&](const std::string& text) {
    read_labelled_pairs(folder.write("bad.tsv", text));
  };
  expect_error(Status::kFormat, "bad.tsv:2: label '2'", [&] { read("1\ta\tb\n2\ta\tb\n"); });
  expect_error(Status::kFormat, "bad.tsv:1: 2 tab separated columns", [&] { read("1\ta\n"); });
  expect_error(Status::kFormat, "bad.tsv:1: label '1.0': 0 or 1 is needed",
               [&] { read("1.0\ta\tb\n"); });
  expect_error(Status::kFormat, "bad.tsv: no row in it", [&] { read(""); });
  expect_error(Status::kNotFound, "absent.tsv: cannot be opened",
               [&] { read_labelled_pairs(folder.path() + "/absent.tsv"); });
}

}  // namespace
}  // namespace contrastive::eval
