// Special files and symbolic links.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using test::write_text;

TEST(File, WhatIsNoRegularFileIsRefusedWithoutBlocking) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "not a regular file", [&] { read_file(folder / "fifo", 10); });
  expect_error(Status::kArgument, "not a regular file", [&] { read_file("/dev/zero", 10); });
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  expect_error(Status::kIo, "loop", [&] { read_file(folder / "loop", 10); });
}

TEST(File, EveryUseRefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/dev/zero", (folder / "zero").c_str()), 0);
  for (const FileUse use : {FileUse::kRead, FileUse::kUpdate, FileUse::kAppend}) {
    expect_error(Status::kArgument, "a FIFO", [&] { open_file(folder / "fifo", use); });
    expect_error(Status::kArgument, "a folder", [&] { open_file(folder.path(), use); });
    if (use != FileUse::kAppend)
      expect_error(Status::kArgument, "a character device",
                   [&] { open_file(folder / "zero", use); });
  }
  EXPECT_TRUE(open_file("/dev/null", FileUse::kAppend)) << "takes lines without blocking";
  expect_error(Status::kIo, "is to be a lock file and is a FIFO",
               [&] { open_lock_file(folder / "fifo"); });
}

TEST(File, RemovesATreeAndFollowsNoLink) {
  const TemporaryFolder folder;
  write_text(folder / "kept/a", "x");
  write_text(folder / "tree/b/c/d", "x");
  write_text(folder / "tree/e", "x");
  ASSERT_EQ(::symlink("../kept", (folder / "tree/link").c_str()), 0);
  remove_tree((folder / "tree").c_str());
  remove_tree((folder / "absent").c_str());
  EXPECT_FALSE(path_exists(folder / "tree"));
  EXPECT_TRUE(path_exists(folder / "kept/a"));
}

TEST(File, LiesInFollowsLinksAndNeedsNothingToExist) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  for (const char* inner : {"link", "link/b", "link/b/../c"})
    EXPECT_TRUE(lies_in(folder / inner, folder / "a")) << inner;
  for (const char* outer : {"link/../b", "links"})
    EXPECT_FALSE(lies_in(folder / outer, folder / "a")) << outer;
}

TEST(File, JoinInsideFollowsNoLinkOutOfTheFolder) {
  const TemporaryFolder folder, outside;
  const std::string base = folder.path();
  EXPECT_EQ(join_inside(base, "..a/b..", "s"), base + "/..a/b..");
  ASSERT_EQ(::symlink(outside.path().c_str(), (folder / "out").c_str()), 0);
  expect_error(Status::kFormat, "through a symbolic link",
               [&] { join_inside(base, "out/x", "s"); });
  std::filesystem::create_directory(folder / "real");
  ASSERT_EQ(::symlink("real", (folder / "in").c_str()), 0);
  EXPECT_EQ(join_inside(base, "in/x", "s"), base + "/in/x") << "a link that stays inside";
  // A sibling whose name begins like the folder's is outside of it.
  std::filesystem::create_directory(base + "-sibling");
  ASSERT_EQ(::symlink((base + "-sibling").c_str(), (folder / "sibling").c_str()), 0);
  expect_error(Status::kFormat, "through a symbolic link",
               [&] { join_inside(base, "sibling/x", "s"); });
  std::filesystem::remove(base + "-sibling");
}

}  // namespace
}  // namespace contrastive
