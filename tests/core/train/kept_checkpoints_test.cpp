#include "core/train/kept_checkpoints.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace contrastive::train {
namespace {

void make(const TemporaryFolder& folder, const std::string& name, bool whole = true) {
  std::filesystem::create_directories(folder.path(name) + "/training_state");
  if (whole) folder.write(name + "/training_state/manifest.json", "{}");
}

TEST(KeptCheckpoints, DropsTheOldestAndNothingElse) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 900, 10000, 20}) make(folder, checkpoint_path("", step).substr(1));
  make(folder, "best");
  make(folder, "step-notes");
  make(folder, "step-0000000001", false);  // not one of ours: no state in it
  drop_old_checkpoints(folder.path(), 0);
  drop_old_checkpoints(folder.path(), 2);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.push_back(entry.path().filename());
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("step-0000000900", "step-0000010000", "best", "step-notes", "step-0000000001"));
}

TEST(KeptCheckpoints, TheNewestIsFoundInTheLatestStage) {
  const TemporaryFolder folder;
  EXPECT_EQ(newest_checkpoint(folder.path()), "");
  EXPECT_EQ(newest_checkpoint(folder.path("absent")), "");
  for (const int64_t step : {5, 900, 20}) make(folder, checkpoint_path("", step).substr(1));
  make(folder, "best");
  make(folder, "step-0000001000", false);
  EXPECT_EQ(newest_checkpoint(folder.path()), folder.path("step-0000000900"));
  make(folder, "stage1/step-0000000007");
  make(folder, "stage2/step-0000000003");
  EXPECT_EQ(newest_checkpoint(folder.path()), folder.path("stage2/step-0000000003"));
}

TEST(KeptCheckpoints, TheFolderIsMadeOrRefused) {
  const TemporaryFolder folder;
  prepare_checkpoints(folder.path("a/b"));
  EXPECT_TRUE(std::filesystem::is_directory(folder.path("a/b")));
  prepare_checkpoints(folder.path("a/b"));
  folder.write("file", "x");
  EXPECT_THROW(prepare_checkpoints(folder.path("file")), Error);
  EXPECT_THROW(prepare_checkpoints(folder.path("file/below")), Error);
}

}  // namespace
}  // namespace contrastive::train
