#include "core/adapt/work_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/core/mining/tables.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

using mining::error_of;
using ::testing::HasSubstr;

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
  EXPECT_EQ(error_of([&] { steps.step("mine", {{"range_max", 3}}, false, stopped); }).status(),
            Status::kCancelled);
  steps.step("mine", {{"range_max", 9}}, false,
             nothing);  // nothing is left of the first try, so other keys are allowed
  const Error error =
      error_of([&] { steps.step("mine", {{"range_max", 3}, {"more", 1}}, false, nothing); });
  EXPECT_EQ(error.status(), Status::kMismatch);
  EXPECT_THAT(error.message(), HasSubstr("step 'mine' was begun with another range_max, more"));
  EXPECT_EQ(error_of([&] { steps.step("train", {{"lr", 1}}, true, stopped); }).status(),
            Status::kCancelled);
  EXPECT_EQ(error_of([&] { steps.step("train", {{"lr", 2}}, true, nothing); }).status(),
            Status::kMismatch)
      << "half of it is there";
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
  const Error error = error_of([&] { WorkFolder(folder / "model"); });
  EXPECT_EQ(error.status(), Status::kArgument);
  EXPECT_THAT(error.message(), HasSubstr("it holds other files"));
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
  const Error error = error_of([&] { WorkFolder second(folder / "model"); });
  EXPECT_EQ(error.status(), Status::kBusy);
  EXPECT_THAT(error.message(), HasSubstr("another process"));
  EXPECT_EQ(error_of([&] { WorkFolder none("/proc/none/model"); }).status(), Status::kIo);
}

}  // namespace
}  // namespace contrastive::adapt
