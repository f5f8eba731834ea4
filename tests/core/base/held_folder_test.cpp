#include "core/base/held_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "tests/temporary_folder.h"

namespace contrastive {
namespace {

namespace fs = std::filesystem;

class HeldFolderTest : public testing::Test {
 protected:
  HeldFolderTest() {
    for (const char* name : {"old", "new"}) {
      fs::create_directories(root_.path() + "/" + name + "/part");
      for (const char* file : {"/a", "/part/b"})
        std::ofstream(root_.path() + "/" + name + file) << name;
    }
    path_ = root_.path() + "/model";
    fs::rename(root_.path() + "/old", path_);
  }
  void replace() const {
    fs::rename(path_, root_.path() + "/away");
    fs::rename(root_.path() + "/new", path_);
  }
  std::string read(const std::string& name) const { return read_file(path_ + name, 100); }

  TemporaryFolder root_;
  std::string path_;
};

TEST_F(HeldFolderTest, WhatIsOpenedIsInTheHeldFolder) {
  {
    const HeldFolder held(path_ + "/");
    EXPECT_TRUE(held.is_current());
    replace();
    EXPECT_FALSE(held.is_current());
    EXPECT_EQ(read("/a"), "old");
    EXPECT_EQ(read("//part/b"), "old");
    EXPECT_TRUE(path_exists(path_ + "/part"));
    fs::remove(root_.path() + "/away/a");
    EXPECT_FALSE(path_exists(path_ + "/a"));
    fs::create_directory(path_ + "-other");
    EXPECT_TRUE(is_directory(path_ + "-other")) << "a longer name is another folder's";
  }
  EXPECT_EQ(read("/a"), "new");
}

TEST_F(HeldFolderTest, AFolderInsideIsThatOfTheHeldOne) {
  const HeldFolder outer(path_);
  replace();
  const HeldFolder inner(path_ + "/part");
  EXPECT_EQ(read("/part/b"), "old");
  EXPECT_TRUE(inner.is_current());
}

TEST_F(HeldFolderTest, KnowsWhetherThereWasNothing) {
  const std::string absent = root_.path() + "/absent";
  const HeldFolder held(absent), file(path_ + "/a");
  EXPECT_TRUE(held.was_absent());
  EXPECT_TRUE(held.is_current());
  EXPECT_FALSE(file.was_absent());
  EXPECT_TRUE(file.is_current()) << "a path that is not a folder fails when it is read";
  fs::create_directory(absent);
  EXPECT_FALSE(held.is_current());
}

}  // namespace
}  // namespace contrastive
