#include "core/eval/sts/sts_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(StsSplit, IsToldByAFilesName) {
  for (const char* name : {"dev.tsv", "sts-dev.csv", "stsb-de-dev.csv", "SICK_trial.txt",
                           "validation.tsv.gz", "a.val.tsv", "Dev.tsv"}) {
    EXPECT_EQ(split_of_file(name), "dev") << name;
  }
  for (const char* name : {"SICK_test_annotated.txt", "sts-test.csv", "test.tsv"})
    EXPECT_EQ(split_of_file(name), "test") << name;
  EXPECT_EQ(split_of_file("SICK_train.txt"), "train");
  for (const char* name :
       {"headlines.tsv", "latest.tsv", "stsbenchmark.tsv.gz", "devout.tsv", ".tsv"})
    EXPECT_EQ(split_of_file(name), "") << name;
  EXPECT_EQ(known_split("TRIAL"), "dev");
  EXPECT_EQ(known_split("main"), "");
}

TEST(StsSplit, ChoosesWhereThereIsAChoice) {
  const std::vector<std::string> all = {"dev", "test", "train"}, two = {"train", "dev"},
                                 one = {"dev", "dev"};
  EXPECT_EQ(choose_split(all, StsSplit::kPreferTest, ""), "test");
  EXPECT_EQ(choose_split(all, StsSplit::kPreferDev, ""), "dev");
  EXPECT_EQ(choose_split(all, StsSplit::kTrain, ""), "train");
  EXPECT_EQ(choose_split(all, StsSplit::kAll, ""), "");
  EXPECT_EQ(choose_split(two, StsSplit::kPreferTest, ""), "dev");
  EXPECT_EQ(choose_split(one, StsSplit::kPreferTest, ""), "") << "no choice: all of it";
  EXPECT_EQ(choose_split(one, StsSplit::kDev, ""), "dev");
  expect_error(Status::kNotFound, "here: has no split 'test'",
               [&] { choose_split(one, StsSplit::kTest, "here"); });
  expect_error(Status::kNotFound, "has no split 'dev'", [] {
    choose_split({"train", "test"}, StsSplit::kPreferDev, "");
  });  // no test data to choose a checkpoint, even if there is nothing else
}

}  // namespace
}  // namespace contrastive::eval
