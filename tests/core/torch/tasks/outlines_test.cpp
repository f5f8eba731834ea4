// What the tasks that train say before a run.
#include "tests/core/eval/task_outlines.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"

namespace contrastive::eval {
namespace {

class OutlinesOfTraining : public TaskOutlines {
 protected:
  OutlinesOfTraining() {
    for (const char* name :
         {"sts", "parts", "MR", "SST-2", "MNLI", "RTE", "malformed/MR", "malformed/SST-2"})
      std::filesystem::create_directories(folder_.path() + "/" + name);
    for (const char* name : {"sts/a.tsv", "sts/b.tsv"}) folder_.write(name, scored_lines());
    for (const char* name : {"train.tsv", "dev.tsv", "test.tsv"})
      folder_.write(std::string("parts/") + name, scored_lines());
    std::string folds;
    for (int i = 0; i < 12; ++i)
      folds += cat(i % 2, "\t", i % 2 == 1 ? "the cat sat " : "stock markets fell ", i, "\n");
    folder_.write("MR/all.tsv", folds);
    folder_.write("SST-2/train.tsv", cat_lines(16));
    folder_.write("SST-2/dev.tsv", cat_lines(8, 100));
    folder_.write("malformed/MR/all.tsv", folds + "much\ta cat\n");
    folder_.write("malformed/SST-2/train.tsv", cat_lines(16));
    folder_.write("malformed/SST-2/dev.tsv", cat_lines(8, 100) + "much\ta cat\n");
    folder_.write("RTE/train.tsv", "entailment\ta cat\ta cat\n");
    folder_.write("RTE/dev.tsv", "entailment\ta cat\n");
    const std::string three =
        "neutral\ta cat\ta dog\nentailment\ta cat\ta cat\ncontradiction\tred\tblue\n";
    for (const char* name : {"train", "dev_matched", "dev_mismatched"})
      folder_.write(std::string("MNLI/") + name + ".tsv", three);
  }
};

TEST_F(OutlinesOfTraining, NameTheFiguresOfARun) {
  expect("glue", ".", "average_std", R"({"tasks": ["SST-2"], "epochs": 1, "seeds": [1, 2]})");
  expect("glue", ".", "tasks.MNLI.accuracy_mismatched",
         R"({"tasks": ["SST-2", "MNLI"], "epochs": 1, "seeds": [1, 2]})");
  expect("transfer", ".", "tasks.MR.test_std",
         R"({"tasks": ["MR"], "seeds": [1, 2], "kfold": 2, "l2": 0, "max_epoch": 1})");
  expect("sts-supervised", "parts", "dev_pearson", R"({"max_epoch": 0, "epoch_size": 1})");
}

TEST_F(OutlinesOfTraining, FailAsARunDoes) {
  refused(Status::kFormat, "malformed/MR/all.tsv:13: label 'much'", "transfer", "malformed",
          R"({"tasks": ["MR"]})");
  // For every set of every task: the last one is malformed.
  refused(Status::kFormat, "RTE/dev.tsv:1: 2 tab separated columns", "glue", ".",
          R"({"tasks": ["SST-2", "RTE"]})");
  refused(Status::kFormat, "malformed/SST-2/dev.tsv:9: 'much' is not a label", "glue", "malformed",
          R"({"tasks": ["SST-2"]})");
  refused(Status::kNotFound, "SST-2 has no file test.tsv", "glue", ".",
          R"({"tasks": ["SST-2"], "split": "test"})");
  refused(Status::kArgument, "config key 'select_part'", "glue", ".",
          R"({"tasks": ["SST-2", "MNLI"], "split": "split-dev", "select_part": 0.01})");
  refused(Status::kArgument, "unknown transfer task 'MRR'", "transfer", ".",
          R"({"tasks": ["MRR"]})");
  refused(Status::kArgument, "unknown GLUE task 'SST2'", "glue", ".", R"({"tasks": ["SST2"]})");
  refused(Status::kArgument, "exclude each other", "glue", ".",
          R"({"tasks": ["SST-2"], "warmup_steps": 1, "warmup_ratio": 0.5})");
  refused(Status::kArgument, "not the splits", "sts-supervised", "sts", "{}");
}

}  // namespace
}  // namespace contrastive::eval
