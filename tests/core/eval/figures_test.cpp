// Figures by their paths, and the outline that every task gives before it runs.
#include "core/eval/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/eval/evaluate.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"

namespace contrastive::eval {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSubsetOf;

TEST(Figures, AreNumbersByTheirPaths) {
  const Json report = Json::parse(
      R"({"a": {"b c,d": 1, "e": null, "text": "x"}, "list": [1, 2], "recall@1": 0.5})");
  const auto figures = figures_of(report);
  EXPECT_THAT(figure_names(report), ElementsAre("a.b_c_d", "a.e", "recall@1"));
  EXPECT_EQ(figures[0].second, 1);
  EXPECT_TRUE(std::isnan(figures[1].second));
  EXPECT_TRUE(number_or_null(figures[1].second).is_null());
}

class FiguresOfTasks : public testing::Test {
 protected:
  FiguresOfTasks() {
    std::string scored, folds;
    for (int i = 0; i < 12; ++i) {
      scored += cat(i % 6, "\tthe cat sat ", i, "\tthe cat sat ", i + i % 6, "\n");
      folds += cat(i % 2, "\t", i % 2 == 1 ? "the cat sat " : "stock markets fell ", i, "\n");
    }
    for (const char* name : {"suite/sts", "suite/parts", "MR", "SST-2", "MNLI", "RTE", "beir/qrels",
                             "malformed/MR", "malformed/SST-2"})
      std::filesystem::create_directories(folder_.path() + "/" + name);
    folder_.write("suite/sts/a.tsv", scored);
    folder_.write("suite/sts/b.tsv", scored);
    for (const char* name : {"train.tsv", "dev.tsv", "test.tsv"})
      folder_.write(std::string("suite/parts/") + name, scored);
    folder_.write("MR/all.tsv", folds);
    folder_.write("pairs.tsv", "the cat\tthe cat sat\nred\tblue\n");
    folder_.write("labels.tsv", "1\tthe cat\tthe cat sat\n0\tred\tblue\n");
    folder_.write("triplets.tsv", "red\tred\tblue\n");
    folder_.write("SST-2/train.tsv", cat_lines(16));
    folder_.write("SST-2/dev.tsv", cat_lines(8, 100));
    folder_.write("ranked.tsv", "a cat\tthe cat sat\tred\nblue\tred\ta dog\n");
    folder_.write("malformed.tsv", "5\tred\tred\nmuch\ta cat\ta dog\ta bird\n");
    folder_.write("none.tsv", "0\ta cat\ta dog\n");
    folder_.write("malformed/MR/all.tsv", folds + "much\ta cat\n");
    folder_.write("malformed/SST-2/train.tsv", cat_lines(16));
    folder_.write("malformed/SST-2/dev.tsv", cat_lines(8, 100) + "much\ta cat\n");
    folder_.write("RTE/train.tsv", "entailment\ta cat\ta cat\n");
    folder_.write("RTE/dev.tsv", "entailment\ta cat\n");
    folder_.write("beir/corpus.jsonl", "{\"_id\": \"d\", \"text\": \"a cat\"}\n");
    folder_.write("beir/queries.jsonl", "{\"_id\": \"q\", \"text\": \"a cat\"}\n");
    folder_.write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\tabsent\t1\n");
    const std::string three =
        "neutral\ta cat\ta dog\nentailment\ta cat\ta cat\ncontradiction\tred\tblue\n";
    for (const char* name : {"train", "dev_matched", "dev_mismatched"})
      folder_.write(std::string("MNLI/") + name + ".tsv", three);
  }
  Config keys(const std::string& data, const std::string& more) const {
    Config config = Config::parse(more);
    if (!data.empty()) config.set_json("data", folder_.path() + "/" + data);
    return config;
  }
  // The figures that the outline promises are in the report of a run, and `expected` is one of
  // them.
  void expect(const std::string& task, const std::string& data, const std::string& figure,
              const std::string& more = "{}") const {
    SCOPED_TRACE(task);
    const Config config = keys(data, more);
    const std::vector<std::string> promised = figures_of_task(task, config);
    EXPECT_THAT(promised, IsSubsetOf(figure_names(evaluate(*glue_model(), task, config, nullptr))));
    EXPECT_THAT(promised, Contains(figure));
  }
  TemporaryFolder folder_;
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
  expect("glue", ".", "average_std", R"({"tasks": ["SST-2"], "epochs": 1, "seeds": [1, 2]})");
  expect("glue", ".", "tasks.MNLI.accuracy_mismatched",
         R"({"tasks": ["SST-2", "MNLI"], "epochs": 1, "seeds": [1, 2]})");
  expect("transfer", ".", "tasks.MR.test_std",
         R"({"tasks": ["MR"], "seeds": [1, 2], "kfold": 2, "l2": 0, "max_epoch": 1})");
  expect("sts-supervised", "suite/parts", "dev_pearson", R"({"max_epoch": 0, "epoch_size": 1})");
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
  const auto refused = [&](const std::string& task, const std::string& data,
                           const std::string& more) {
    const Config config = keys(data, more);
    const Error error = error_of([&] { figures_of_task(task, config); });
    EXPECT_NE(error.status(), Status::kOk) << task;
    const Error later = error_of([&] { evaluate(*glue_model(), task, config, nullptr); });
    EXPECT_EQ(error.message(), later.message()) << task;
  };
  for (const std::string& task : task_names()) refused(task, "", "{}");
  for (const std::string& task : task_names()) refused(task, "absent", "{}");
  for (const std::string& task : task_names()) {
    if (task != "glue" && task != "transfer" && task != "reranking")
      refused(task, "malformed.tsv", "{}");
  }
  refused("transfer", "malformed", R"({"tasks": ["MR"]})");
  // For every set of every task: the last one is malformed.
  refused("glue", ".", R"({"tasks": ["SST-2", "RTE"]})");
  refused("glue", "malformed", R"({"tasks": ["SST-2"]})");
  refused("glue", ".", R"({"tasks": ["SST-2"], "split": "test"})");
  refused("glue", ".",
          R"({"tasks": ["SST-2", "MNLI"], "split": "split-dev", "select_part": 0.01})");
  refused("retrieval", "beir", "{}");
  refused("retrieval", "beir", R"({"split": "dev"})");
  refused("retrieval", "", R"({"corpus": "absent", "queries": "absent", "qrels": "absent"})");
  refused("paraphrases", "", R"({"texts": "absent", "duplicates": "absent"})");
  refused("paraphrases", "none.tsv", "{}");
  refused("sts", "suite/sts", R"({"drop_top": 1, "counts.pairs": "absent"})");
  refused("sts-tokens", "suite/sts", R"({"counts.pairs": "absent"})");
  refused("sts-tokens", "suite/sts", R"({"counts.corpus": "absent"})");
  refused("sts-tokens", "suite/sts", R"({"counts.corpus": "a", "counts.pairs": "b"})");
  refused("sts-layers", "suite/sts", R"({"poolings": ["meen"]})");
  refused("sts-layers", "suite/sts", R"({"encode.pooling": "cls"})");
  refused("reranking", "pairs.tsv", "{}");  // two columns
  refused("reranking", "ranked.tsv", R"({"k": [0]})");
  refused("retrieval", "pairs.tsv", R"({"corpus": "x"})");
  refused("retrieval", "pairs.tsv", R"({"k": [0]})");
  refused("transfer", "suite", R"({"tasks": ["MRR"]})");
  refused("glue", "suite", R"({"tasks": ["SST2"]})");
  refused("glue", "suite", R"({"tasks": ["SST-2"], "warmup_steps": 1, "warmup_ratio": 0.5})");
  refused("sts-supervised", "suite/sts", "{}");
  refused("pairs", "labels.tsv", R"({"date": "x"})");
}

}  // namespace
}  // namespace contrastive::eval
