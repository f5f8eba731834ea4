#include "core/io/atomic_file.h"

#include <filesystem>
#include <string>

#include "tests/core/io/files.h"
#include "tests/core/io/saves.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::names;
using test::read_text;
using test::write_text;

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  write_file_atomic(folder / "a.txt", "one");
  write_file_atomic(folder / "a.txt", "two");
  EXPECT_EQ(read_text(folder / "a.txt"), "two");
  write_file_atomic(folder / "a.txt", std::string("x\0y", 3));
  EXPECT_EQ(read_text(folder / "a.txt"), std::string("x\0y", 3));
  EXPECT_EQ(names(folder.path()).size(), 1u);
}

TEST(AtomicFile, AnExistingFileIsNotOpenedForWriting) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  expect_error(Status::kIo, "cannot be created", [&] { OutputFile(folder / "a.txt"); });
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
}

TEST(AtomicFile, WhatTheSystemRefusesIsIo) {
  const TemporaryFolder folder;
  expect_error(Status::kIo, "cannot be created",
               [&] { write_file_atomic(folder / "absent/a.txt", "x"); });
  expect_error(Status::kIo, "cannot be created",
               [&] { write_file_atomic(folder / std::string(5000, 'a'), "x"); });
  std::filesystem::create_directory(folder / "taken");
  expect_error(Status::kIo, "cannot be replaced",
               [&] { write_file_atomic(folder / "taken", "x"); });
  EXPECT_EQ(names(folder.path()).size(), 1u) << "a temporary file was left";
}

TEST(AtomicFile, NamesOfPaths) {
  EXPECT_EQ(parent_folder("/a/b"), "/a");
  EXPECT_EQ(parent_folder("/a"), "/");
  EXPECT_EQ(parent_folder("a"), ".");
  EXPECT_EQ(base_name("/a/b"), "b");
  EXPECT_EQ(base_name("b"), "b");
}

}  // namespace
}  // namespace contrastive::io
