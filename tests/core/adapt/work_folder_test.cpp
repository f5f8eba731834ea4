#include "core/adapt/work_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

TEST(WorkFolder, AStepThatIsDoneIsNotDoneAgain) {
  const TemporaryFolder folder;
  int calls = 0;
  const auto work = [&] { return Json({{"calls", ++calls}}); };
  for (int i = 0; i < 2; ++i) {
    WorkFolder steps(folder / "model/");
    EXPECT_EQ(steps.step("split", {{"seed", 1}}, false, work)["calls"], 1);
    EXPECT_TRUE(steps.is_done("split"));
    EXPECT_FALSE(steps.is_done("mine"));
  }
  EXPECT_EQ(calls, 1);
  WorkFolder(folder / "model").remove();
  EXPECT_FALSE(path_exists(folder / "model.adapting"));
}

TEST(WorkFolder, OtherInputsAreRefusedByNameOnceTheStepIsDone) {
  const TemporaryFolder folder;
  WorkFolder steps(folder / "model");
  const auto nothing = [] { return Json::object(); };
  const auto stopped = []() -> Json { fail(Status::kCancelled, "cancelled"); };
  expect_error(Status::kCancelled, "cancelled",
               [&] { steps.step("mine", {{"range_max", 3}}, false, stopped); });
  steps.step("mine", {{"range_max", 9}}, false,
             nothing);  // nothing is left of the first try, so other keys are allowed
  expect_error(Status::kMismatch, "step 'mine' was begun with another range_max, more",
               [&] { steps.step("mine", {{"range_max", 3}, {"more", 1}}, false, nothing); });
  expect_error(Status::kCancelled, "cancelled",
               [&] { steps.step("train", {{"lr", 1}}, true, stopped); });
  expect_error(Status::kMismatch, "model.adapting: an adaptation was broken off here",
               [&] { steps.step("train", {{"lr", 2}}, true, nothing); });  // half of it is there
  steps.step("train", {{"lr", 1}}, true, nothing);
}

TEST(WorkFolder, AnotherSpellingIsTheSameFolder) {
  const TemporaryFolder folder;
  std::string once;
  {
    const WorkFolder steps(folder / "model");
    once = steps.path("rows");
  }
  EXPECT_EQ(WorkFolder(folder / "./x/../model/").path("rows"), once);
  EXPECT_EQ(once.front(), '/');
}

TEST(WorkFolder, AFolderOfSomebodyElsesIsLeftAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "model.adapting");
  folder.write("model.adapting/notes.txt", "mine");
  expect_error(Status::kArgument, "it holds other files", [&] { WorkFolder(folder / "model"); });
  EXPECT_TRUE(path_exists(folder / "model.adapting/notes.txt"));
  EXPECT_FALSE(path_exists(folder / "model.adapting/lock"));
}

TEST(WorkFolder, WhatAKilledRemovalLeftGoesWithTheNextRun) {
  const TemporaryFolder folder;
  const std::string left =
      folder / ".model.adapting.tmp-999999999-0";  // a name that remove() makes, of a process that
                                                   // does not exist
  std::filesystem::create_directories(left + "/rows");
  WorkFolder(folder / "model").remove();
  EXPECT_FALSE(path_exists(folder / "model.adapting"));
  EXPECT_FALSE(path_exists(left));
}

TEST(WorkFolder, OneAtATime) {
  const TemporaryFolder folder;
  const WorkFolder first(folder / "model");
  expect_error(Status::kBusy, "another process", [&] { WorkFolder second(folder / "model"); });
  expect_error(Status::kIo, "/proc/none/model.adapting: cannot be created",
               [&] { WorkFolder none("/proc/none/model"); });
}

}  // namespace
}  // namespace contrastive::adapt
