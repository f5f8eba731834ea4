#include "core/torch/run/kept_checkpoints.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/torch/run/names_in.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

void make(const TemporaryFolder& folder, const std::string& name, bool whole = true) {
  std::filesystem::create_directories(folder / name + "/training_state");
  if (whole) folder.write(name + "/training_state/manifest.json", "{}");
}

TEST(KeptCheckpoints, DropsTheOldestAndNothingElse) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 900, 10000, 20}) make(folder, checkpoint_path("", step).substr(1));
  make(folder, "best");
  make(folder, "step-notes");
  make(folder, "step-0000000001", false);  // not a checkpoint of ours: it has no state
  drop_old_checkpoints(folder.path(), 0);
  drop_old_checkpoints(folder.path(), 2);
  EXPECT_THAT(names_in(folder.path()),
              ::testing::UnorderedElementsAre("step-0000000900", "step-0000010000", "best",
                                              "step-notes", "step-0000000001"));
}

TEST(KeptCheckpoints, TheNewestIsFoundInTheLatestStage) {
  const TemporaryFolder folder;
  EXPECT_EQ(newest_checkpoint(folder.path()), "");
  EXPECT_EQ(newest_checkpoint(folder / "absent"), "");
  for (const int64_t step : {5, 900, 20}) make(folder, checkpoint_path("", step).substr(1));
  make(folder, "best");
  make(folder, "step-0000001000", false);
  EXPECT_EQ(newest_checkpoint(folder.path()), folder / "step-0000000900");
  make(folder, "stage1/step-0000000007");
  make(folder, "stage2/step-0000000003");
  EXPECT_EQ(newest_checkpoint(folder.path()), folder / "stage2/step-0000000003");
}

TEST(KeptCheckpoints, ThoseOfAnotherRunAreRefusedByName) {
  const auto refused = [](const std::string& entry) {
    const TemporaryFolder folder;
    make(folder, entry);
    const std::string message =
        expect_error(Status::kArgument, "holds the checkpoints of another run",
                     [&] { refuse_used_checkpoints(folder.path()); });
    EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("'checkpoints'"),
                                          ::testing::HasSubstr(entry)));
  };
  for (const char* entry : {"step-0000000040", "best", "stage1/step-0000000007", "stage2/best"})
    refused(entry);
  const TemporaryFolder folder;
  make(folder, "step-0000000001", false);
  make(folder, "notes");
  make(folder, "stage1");
  refuse_used_checkpoints(folder.path());
  refuse_used_checkpoints(folder / "absent");
}

TEST(KeptCheckpoints, WhatComesAfterAnUpdateIsDroppedAndNothingElse) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 20, 900, 10000}) make(folder, checkpoint_path("", step).substr(1));
  make(folder, "best");
  make(folder, "step-0000020000", false);
  drop_later_checkpoints(folder.path(), 20);
  EXPECT_THAT(names_in(folder.path()),
              ::testing::UnorderedElementsAre("step-0000000005", "step-0000000020", "best",
                                              "step-0000020000"));
  for (const char* entry : {"stage1/step-0000000007", "stage1/best", "stage2/step-0000000000",
                            "stage2/best", "stage2/notes"})
    make(folder, entry);
  drop_later_stages(folder.path(), 1);
  EXPECT_THAT(names_in(folder / "stage1"),
              ::testing::UnorderedElementsAre("step-0000000007", "best"));
  EXPECT_THAT(names_in(folder / "stage2"), ::testing::ElementsAre("notes"));
}

TEST(KeptCheckpoints, TheFolderIsMadeOrRefused) {
  const TemporaryFolder folder;
  prepare_checkpoints(folder / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
  prepare_checkpoints(folder / "a/b");
  folder.write("file", "x");
  expect_error(Status::kArgument, "/file' is not a folder",
               [&] { prepare_checkpoints(folder / "file"); });
  expect_error(Status::kIo, "file/below: the folder of config key 'checkpoints'",
               [&] { prepare_checkpoints(folder / "file/below"); });
}

}  // namespace
}  // namespace contrastive::run
