// Figures by their paths, and the outline that every task gives before it runs.
#include "core/eval/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/eval/evaluate.h"
#include "tests/core/eval/task_outlines.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

TEST(Figures, AreNumbersByTheirPaths) {
  const Json report = Json::parse(
      R"({"a": {"b c,d": 1, "e": null, "text": "x"}, "list": [1, 2], "recall@1": 0.5})");
  const auto figures = figures_of(report);
  EXPECT_THAT(figure_names(report), ElementsAre("a.b_c_d", "a.e", "recall@1"));
  EXPECT_EQ(figures[0].second, 1);
  EXPECT_TRUE(std::isnan(figures[1].second));
  EXPECT_TRUE(number_or_null(figures[1].second).is_null());
}

class FiguresOfTasks : public TaskOutlines {
 protected:
  FiguresOfTasks() {
    for (const char* name : {"suite/sts", "suite/parts", "beir/qrels"})
      std::filesystem::create_directories(folder_.path() + "/" + name);
    folder_.write("suite/sts/a.tsv", scored_lines());
    folder_.write("suite/sts/b.tsv", scored_lines());
    for (const char* name : {"train.tsv", "dev.tsv", "test.tsv"})
      folder_.write(std::string("suite/parts/") + name, scored_lines());
    folder_.write("pairs.tsv", "the cat\tthe cat sat\nred\tblue\n");
    folder_.write("labels.tsv", "1\tthe cat\tthe cat sat\n0\tred\tblue\n");
    folder_.write("triplets.tsv", "red\tred\tblue\n");
    folder_.write("ranked.tsv", "a cat\tthe cat sat\tred\nblue\tred\ta dog\n");
    folder_.write("malformed.tsv", "5\tred\tred\nmuch\ta cat\ta dog\ta bird\nalone\n");
    folder_.write("none.tsv", "0\ta cat\ta dog\n");
    folder_.write("beir/corpus.jsonl", "{\"_id\": \"d\", \"text\": \"a cat\"}\n");
    folder_.write("beir/queries.jsonl", "{\"_id\": \"q\", \"text\": \"a cat\"}\n");
    folder_.write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\tabsent\t1\n");
  }
};

TEST_F(FiguresOfTasks, AreKnownBeforeARun) {
  expect("sts", "suite/sts", "subsets.b.spearman");
  expect("sts", "suite", "sets.parts.pearson.wmean");
  expect("sts-layers", "suite/sts", "best.spearman");
  expect("sts-tokens", "suite/sts", "best.spearman", R"({"most": 2})");
  expect("retrieval", "pairs.tsv", "ndcg@3", R"({"k": [3, 1]})");
  expect("reranking", "ranked.tsv", "ndcg@3", R"({"k": [3, 1, 3]})");
  expect("pairs", "labels.tsv", "cosine.f1");
  expect("triplets", "triplets.tsv", "accuracy.cosine");
  expect("paraphrases", "labels.tsv", "average_precision");
  expect("geometry", "suite/sts", "uniformity");
  expect("tsne", "suite/sts", "kl", R"({"iterations": 2, "exaggerated": 1})");
}

TEST_F(FiguresOfTasks, ListsStandInTheOutline) {
  const Json layers = outline_of_task("sts-layers", keys("suite", R"({"poolings": ["cls"]})"));
  EXPECT_EQ(layers["spearman"], (Json{{"cls", Json::array()}}));
  EXPECT_EQ(layers["sets"]["parts"], (Json{{"cls", Json::array()}}));
  const Json tokens = outline_of_task("sts-tokens", keys("suite", "{}"));
  for (const char* list : {"removed", "spearman", "pearson"})
    EXPECT_EQ(tokens[list], Json::array()) << list;
  EXPECT_EQ(tokens["sets"]["sts"], Json::array());
}

TEST_F(FiguresOfTasks, WhatARunWouldRefuseIsRefusedWithoutAModel) {
  for (const std::string& task : task_names()) refused(Status::kArgument, "data", task, "", "{}");
  for (const std::string& task : task_names())
    refused(Status::kNotFound, "absent", task, "absent", "{}");
  for (const std::string& task : task_names()) {
    if (task != "glue" && task != "transfer" && task != "reranking")
      refused(Status::kFormat, "malformed.tsv:", task, "malformed.tsv", "{}");
  }
  refused(Status::kNotFound, "test.tsv:2: no document has the _id 'absent'", "retrieval", "beir",
          "{}");
  refused(Status::kNotFound, "qrels/dev.tsv: no such file", "retrieval", "beir",
          R"({"split": "dev"})");
  refused(Status::kNotFound, "absent: cannot be opened", "retrieval", "",
          R"({"corpus": "absent", "queries": "absent", "qrels": "absent"})");
  refused(Status::kNotFound, "absent: cannot be opened", "paraphrases", "",
          R"({"texts": "absent", "duplicates": "absent"})");
  refused(Status::kFormat, "none of the pairs of texts is a paraphrase", "paraphrases", "none.tsv",
          "{}");
  refused(Status::kNotFound, "absent: no such file or folder", "sts", "suite/sts",
          R"({"drop_top": 1, "counts.pairs": "absent"})");
  refused(Status::kNotFound, "absent: no such file or folder", "sts-tokens", "suite/sts",
          R"({"counts.pairs": "absent"})");
  refused(Status::kNotFound, "absent: cannot be opened", "sts-tokens", "suite/sts",
          R"({"counts.corpus": "absent"})");
  refused(Status::kArgument, "counts.corpus and counts.pairs are both set", "sts-tokens",
          "suite/sts", R"({"counts.corpus": "a", "counts.pairs": "b"})");
  refused(Status::kArgument, "unknown pooling 'meen'", "sts-layers", "suite/sts",
          R"({"poolings": ["meen"]})");
  refused(Status::kArgument, "encode.pooling is set", "sts-layers", "suite/sts",
          R"({"encode.pooling": "cls"})");
  refused(Status::kFormat, "pairs.tsv:1: 2 columns", "reranking", "pairs.tsv",
          "{}");  // two columns
  refused(Status::kArgument, "config key 'k' takes", "reranking", "ranked.tsv", R"({"k": [0]})");
  refused(Status::kArgument, "or all of corpus, queries and qrels", "retrieval", "pairs.tsv",
          R"({"corpus": "x"})");
  refused(Status::kArgument, "config key 'k' takes", "retrieval", "pairs.tsv", R"({"k": [0]})");
  refused(Status::kArgument, "unknown config key 'date'", "pairs", "labels.tsv",
          R"({"date": "x"})");
}

}  // namespace
}  // namespace contrastive::eval
