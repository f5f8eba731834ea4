#include "core/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using test::write_text;

TEST(File, ReadsWholeFilesUpToTheLimit) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\xff\n", 5);
  write_text(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x", 5), bytes);
  expect_error(Status::kLimit, "5 bytes, above the limit of 4",
               [&] { read_file(folder / "x", 4); });
  write_text(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty", 0), "");
  std::filesystem::resize_file(folder / "x",
                               int64_t{1} << 40);  // a sparse terabyte: its size is checked first
  expect_error(Status::kLimit, "1099511627776 bytes", [&] { read_file(folder / "x", 1 << 20); });
}

TEST(File, APointerOfGitLfsIsNamed) {
  const TemporaryFolder folder;
  write_text(folder / "model.safetensors",
             "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n");
  const std::string message = "a pointer of Git LFS, not the file itself; `git -C " +
                              parent_folder(folder / "x") + " lfs pull` fetches it";
  expect_error(Status::kFormat, message, [&] { read_file(folder / "model.safetensors", 1000); });
  expect_error(Status::kFormat, message,
               [&] { open_stream_to_read(folder / "model.safetensors"); });
  EXPECT_TRUE(open_file(folder / "model.safetensors", FileUse::kUpdate));
  write_text(folder / "short", "version");
  EXPECT_EQ(read_file(folder / "short", 1000), "version");
}

TEST(File, WhatIsNoRegularFileIsRefusedWithoutBlocking) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "cannot be opened", [&] { read_file(folder / "absent", 10); });
  expect_error(Status::kArgument, "not a regular file", [&] { read_file(folder.path(), 10); });
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "not a regular file", [&] { read_file(folder / "fifo", 10); });
  expect_error(Status::kArgument, "not a regular file", [&] { read_file("/dev/zero", 10); });
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  expect_error(Status::kIo, "loop", [&] { read_file(folder / "loop", 10); });
  write_text(folder / "file", "x");
  expect_error(Status::kNotFound, "cannot be opened", [&] { read_file(folder / "file/x", 10); });
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
  expect_error(Status::kNotFound, "absent", [&] { open_file(folder / "absent", FileUse::kRead); });
  expect_error(Status::kIo, "absent", [&] { open_file(folder / "absent/x", FileUse::kUpdate); });
  EXPECT_TRUE(open_file(folder / "made", FileUse::kUpdate));
  expect_error(Status::kIo, "is to be a lock file and is a FIFO",
               [&] { open_lock_file(folder / "fifo"); });
  write_text(folder / "file", "abc");
  expect_error(Status::kIo, "cannot be created", [&] { create_file(folder / "file"); });
  expect_error(Status::kLimit, "3 bytes, above the limit of 2",
               [&] { open_file(folder / "file", FileUse::kRead, 2); });
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

TEST(File, KindsOfPaths) {
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  EXPECT_TRUE(path_exists(folder.path()));
  EXPECT_TRUE(is_directory(folder.path()));
  EXPECT_FALSE(is_regular_file(folder.path()));
  EXPECT_TRUE(is_regular_file(folder / "file"));
  EXPECT_FALSE(is_directory(folder / "file"));
  EXPECT_FALSE(path_exists(folder / "absent"));
}

TEST(File, LiesInFollowsLinksAndNeedsNothingToExist) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  for (const char* inner : {"a", "a/", "a/b", "a/b/../c", "link", "link/b", "x/../a/b"})
    EXPECT_TRUE(lies_in(folder / inner, folder / "a")) << inner;
  for (const char* outer : {"", "ab", "b", "a/../b", "link/../b"})
    EXPECT_FALSE(lies_in(folder / outer, folder / "a")) << outer;
  EXPECT_TRUE(lies_in(folder / "new/b", folder / "new/"));
  EXPECT_TRUE(lies_in("here/x", "./here"));
  EXPECT_FALSE(lies_in("there", "here"));
}

TEST(File, JoinInsideNeverLeavesTheFolder) {
  const TemporaryFolder folder, outside;
  const std::string base = folder.path();
  EXPECT_EQ(join_inside(base, "a.json", "s"), base + "/a.json");
  EXPECT_EQ(join_inside(base, "1_Pooling/config.json", "s"), base + "/1_Pooling/config.json");
  EXPECT_EQ(join_inside(base, "", "s"), base);
  EXPECT_EQ(join_inside(base, "./a//b/.", "s"), base + "/a/b");
  EXPECT_EQ(join_inside(base, "..a/b..", "s"), base + "/..a/b..");
  for (const char* bad : {"..", "../x", "a/../../x", "a/..", "/etc/passwd", "/"}) {
    expect_error(Status::kFormat, "modules.json: the path",
                 [&] { join_inside(base, bad, "modules.json"); });
  }
  expect_error(Status::kFormat, "NUL", [&] { join_inside(base, std::string("a\0b", 3), "s"); });
  expect_error(Status::kFormat, "4097 characters",
               [&] { join_inside(base, std::string(4097, 'a'), "s"); });

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
