#include <gtest/gtest.h>

#include <string>

#include "core/system/file.h"
#include "tests/temporary_folder.h"

namespace contrastive::system {
namespace {

// Windows can since version 10, and Wine cannot.
TEST(SystemFile, RenamingReplacesAFileThatIsOpen) {
  const TemporaryFolder folder;
  const std::string from = folder.write("a", "new"), to = folder.write("b", "old");
  const int open = open_file({kWorkingFolder, to.c_str()}, kRead);
  ASSERT_GE(open, 0);
  EXPECT_TRUE(rename(from.c_str(), to.c_str()));
  char byte = 0;
  EXPECT_EQ(read_at(open, &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'o');
  close_file(open);
}

}  // namespace
}  // namespace contrastive::system
