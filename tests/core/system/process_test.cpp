#include "core/system/process.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace contrastive::system {
namespace {

TEST(Process, ThisOneIsRunning) {
  EXPECT_GT(process_number(), 0);
  EXPECT_EQ(process_number(), process_number());
  EXPECT_TRUE(is_running(process_number()));
  // Larger than any number that a system gives.
  EXPECT_FALSE(is_running(999'999'999));
}

TEST(Process, TheTemporaryFolderExists) {
  EXPECT_TRUE(std::filesystem::is_directory(temporary_folder())) << temporary_folder();
}

TEST(Process, AVariableThatIsNotSetIsEmpty) {
  EXPECT_EQ(trusted_variable("CONTRASTIVE_A_VARIABLE_THAT_NOBODY_SETS"), "");
  EXPECT_NE(trusted_variable("PATH"), "");
}

}  // namespace
}  // namespace contrastive::system
