#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Evaluate, RetrievalFindsATextByItself) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "the cat sat\tthe cat sat\nstock markets fell\tstock markets fell\nred\tred\n");
  const Json json =
      evaluate(encoder(), "retrieval", config({{"data", pairs}, {"k", "1,3"}}), nullptr);
  EXPECT_EQ(json["queries"], 3);
  EXPECT_EQ(json["recall@1"], 1.0);
  EXPECT_EQ(json["mrr@3"], 1.0);
  EXPECT_FALSE(json.contains("recall@10"));
}

TEST(Evaluate, RetrievalReadsAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/qrels");
  folder.write("corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"the cat sat\"}\n{\"_id\": \"d2\", "
                               "\"text\": \"stock markets fell\"}\n");
  folder.write("queries.jsonl", "{\"_id\": \"q\", \"text\": \"stock markets fell\"}\n");
  folder.write("qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq\td2\t1\n");
  const Json json =
      evaluate(encoder(), "retrieval",
               config({{"data", folder.path()}, {"split", "dev"}, {"k", "1"}}), nullptr);
  EXPECT_EQ(json["documents"], 2);
  EXPECT_EQ(json["precision@1"], 1.0);
  expect_error(Status::kNotFound, "qrels/test.tsv", [&] {
    evaluate(encoder(), "retrieval", config({{"data", folder.path()}}), nullptr);
  });
}

}  // namespace
}  // namespace contrastive::eval
