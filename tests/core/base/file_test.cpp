#include "core/base/file.h"

#include <filesystem>
#include <fstream>
#include <string>

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
  std::filesystem::resize_file(folder / "x", int64_t{1} << 30);  // its size is checked first
  expect_error(Status::kLimit, "1073741824 bytes", [&] { read_file(folder / "x", 1 << 20); });
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

TEST(File, WhatIsAbsentOrAFolderIsRefused) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "cannot be opened", [&] { read_file(folder / "absent", 10); });
  expect_error(Status::kArgument, "not a regular file", [&] { read_file(folder.path(), 10); });
  write_text(folder / "file", "abc");
  expect_error(Status::kNotFound, "cannot be opened", [&] { read_file(folder / "file/x", 10); });
  for (const FileUse use : {FileUse::kRead, FileUse::kUpdate, FileUse::kAppend})
    expect_error(Status::kArgument, "a folder", [&] { open_file(folder.path(), use); });
  expect_error(Status::kNotFound, "absent", [&] { open_file(folder / "absent", FileUse::kRead); });
  expect_error(Status::kIo, "absent", [&] { open_file(folder / "absent/x", FileUse::kUpdate); });
  EXPECT_TRUE(open_file(folder / "made", FileUse::kUpdate));
  expect_error(Status::kIo, "cannot be created", [&] { create_file(folder / "file"); });
  expect_error(Status::kLimit, "3 bytes, above the limit of 2",
               [&] { open_file(folder / "file", FileUse::kRead, 2); });
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

TEST(File, LiesInNeedsNothingToExist) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  for (const char* inner : {"a", "a/", "a/b", "a/b/../c", "x/../a/b"})
    EXPECT_TRUE(lies_in(folder / inner, folder / "a")) << inner;
  for (const char* outer : {"", "ab", "b", "a/../b"})
    EXPECT_FALSE(lies_in(folder / outer, folder / "a")) << outer;
  EXPECT_TRUE(lies_in(folder / "new/b", folder / "new/"));
  EXPECT_TRUE(lies_in("here/x", "./here"));
  EXPECT_FALSE(lies_in("there", "here"));
}

TEST(File, JoinInsideNeverLeavesTheFolder) {
  const TemporaryFolder folder;
  const std::string base = folder.path();
  EXPECT_EQ(join_inside(base, "a.json", "s"), base + "/a.json");
  EXPECT_EQ(join_inside(base, "1_Pooling/config.json", "s"), base + "/1_Pooling/config.json");
  EXPECT_EQ(join_inside(base, "", "s"), base);
  EXPECT_EQ(join_inside(base, "./a//b/.", "s"), base + "/a/b");
  EXPECT_EQ(join_inside(base, "..a/..b", "s"), base + "/..a/..b");
  for (const char* bad : {"..", "../x", "a/../../x", "a/..", "/etc/passwd", "/"}) {
    expect_error(Status::kFormat, "modules.json: the path",
                 [&] { join_inside(base, bad, "modules.json"); });
  }
  expect_error(Status::kFormat, "NUL", [&] { join_inside(base, std::string("a\0b", 3), "s"); });
  expect_error(Status::kFormat, "4097 characters",
               [&] { join_inside(base, std::string(4097, 'a'), "s"); });
}

}  // namespace
}  // namespace contrastive
