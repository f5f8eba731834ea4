#include "core/torch/tasks/transfer/transfer_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

TransferOptions read_transfer(const std::string& json) {
  Config config = Config::parse(json);
  config.set("data", "somewhere");
  return read_transfer_options(config);
}

// The table of core/torch/tasks/transfer/README.md.
TEST(TransferOptions, PublishedSettings) {
  struct Row {
    const char* preset;
    int64_t kfold;
    const char* optimizer;
    double lr;  // PyTorch's own default
    int64_t batch_size, tenacity, epoch_size, nhid;
    std::vector<int64_t> seeds;
  };
  for (const Row& row :
       {Row{"default", 10, "adam", 1e-3, 64, 5, 4, 0, {1111}},
        Row{"prototyping", 5, "rmsprop", 1e-2, 128, 3, 2, 0, {1111}},
        Row{"sg-opt", 10, "adam", 1e-3, 64, 5, 4, 50, {1, 2, 3, 4, 1234, 2345, 3456, 7890}}}) {
    SCOPED_TRACE(row.preset);
    const TransferOptions options = read_transfer(cat(R"({"preset": ")", row.preset, R"("})"));
    EXPECT_EQ(options.kfold, row.kfold);
    EXPECT_EQ(options.fit.optimizer, row.optimizer);
    EXPECT_EQ(options.fit.learning_rate(), row.lr);
    EXPECT_EQ(options.fit.batch_size, row.batch_size);
    EXPECT_EQ(options.fit.tenacity, row.tenacity);
    EXPECT_EQ(options.fit.epoch_size, row.epoch_size);
    EXPECT_EQ(options.fit.nhid, row.nhid);
    EXPECT_EQ(options.fit.dropout, 0);
    EXPECT_EQ(options.fit.max_epoch, 200);
    EXPECT_EQ(options.seeds, row.seeds);
    EXPECT_THAT(options.l2, ElementsAre(1e-5, 1e-4, 1e-3, 1e-2));
    EXPECT_THAT(options.tasks, ElementsAre("MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC"));
  }
  EXPECT_EQ(read_transfer("{}").preset, TransferPreset::kDefault);
}

TEST(TransferOptions, AKeyHoldsAgainstThePreset) {
  const TransferOptions options =
      read_transfer(R"({"preset": "prototyping", "kfold": 10, "optimizer": "adam", "seeds": [7]})");
  EXPECT_EQ(options.kfold, 10);
  EXPECT_EQ(options.fit.optimizer, "adam");
  EXPECT_EQ(options.fit.batch_size, 128);
  EXPECT_THAT(options.seeds, ElementsAre(7));
}

TEST(TransferOptions, DataAndTasksAreNeeded) {
  expect_error(Status::kArgument, "data is not set", [] { read_transfer_options({}); });
  expect_error(Status::kArgument, "tasks is an empty list",
               [] { read_transfer(R"({"tasks": []})"); });
}

}  // namespace
}  // namespace contrastive::eval
