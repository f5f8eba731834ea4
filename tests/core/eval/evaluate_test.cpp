// The tasks by name, on a small random encoder.
#include "core/eval/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

const model::SentenceEncoder& encoder() {
  static const auto loaded =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  return *loaded;
}

Config config(std::initializer_list<std::pair<std::string, std::string>> entries) {
  Config result;
  for (const auto& [key, value] : entries) result.set(key, value);
  return result;
}

TEST(Evaluate, PairsTripletsAndParaphrases) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "1\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n1\tred\tred\n");
  const Json told = evaluate(encoder(), "pairs", config({{"data", pairs}}), nullptr);
  EXPECT_EQ(told["positives"], 2);
  for (const char* metric : {"cosine", "dot", "euclidean", "manhattan"})
    EXPECT_EQ(told[metric].size(), 8u) << metric;
  const std::string triplets =
      folder.write("triplets.tsv", "red\tred\tstock markets fell\nred\tthe cat sat\tred\n");
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}}),
                     nullptr)["accuracy"]["cosine"],
            0.5);
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}, {"margin", "5"}}),
                     nullptr)["accuracy"]["cosine"],
            0.0);
  const Json found =
      evaluate(encoder(), "paraphrases", config({{"data", pairs}, {"min_score", "-1"}}), nullptr);
  EXPECT_EQ(found["texts"], 4);
  EXPECT_EQ(found["pairs"], 6);
  EXPECT_EQ(found["paraphrases"], 1);  // a text and itself are not a pair
  for (const char* task : {"pairs", "triplets", "paraphrases", "tsne"}) {
    SCOPED_TRACE(task);
    expect_error(Status::kArgument, "data", [&] { evaluate(encoder(), task, {}, nullptr); });
    SCOPED_TRACE(task);
    expect_error(Status::kNotFound, "/absent",
                 [&] { evaluate(encoder(), task, config({{"data", "/absent"}}), nullptr); });
  }
  expect_error(Status::kArgument, "or both of texts and duplicates",
               [&] { evaluate(encoder(), "paraphrases", config({{"texts", pairs}}), nullptr); });
}

TEST(Evaluate, RefusesUnknownTasksAndKeys) {
  expect_error(Status::kArgument, "'sts'", [] { evaluate(encoder(), "stss", {}, nullptr); });
  expect_error(Status::kArgument, "data",
               [] { evaluate(encoder(), "sts", config({{"date", "x"}}), nullptr); });
  expect_error(Status::kArgument, "data is not set",
               [] { evaluate(encoder(), "sts", {}, nullptr); });
  expect_error(Status::kNotFound, "/absent: no such file or folder",
               [] { evaluate(encoder(), "sts", config({{"data", "/absent"}}), nullptr); });
  expect_error(Status::kArgument, "or all of corpus, queries and qrels", [] {
    evaluate(encoder(), "retrieval", config({{"data", "x"}, {"corpus", "y"}}), nullptr);
  });
  for (const char* k : {"0", "ten", "1,,2", "1000000"}) {
    SCOPED_TRACE(k);
    expect_error(Status::kArgument, "config key 'k' takes whole numbers from 1 to 10000", [&] {
      evaluate(encoder(), "retrieval", config({{"data", "x"}, {"k", k}}), nullptr);
    });
  }
}

TEST(Evaluate, CanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { evaluate(encoder(), "sts", config({{"data", path}}), &cancel); });
}

TEST(Evaluate, EveryTaskDescribesItsKeys) {
  for (const std::string& task : task_names()) {
    const Json rows = describe_task(task);
    ASSERT_GE(rows.size(), 5u);
    EXPECT_EQ(rows[0]["key"], "data");
    for (const Json& row : rows) EXPECT_FALSE(row["help"].get<std::string>().empty()) << row.dump();
  }
}

}  // namespace
}  // namespace contrastive::eval
