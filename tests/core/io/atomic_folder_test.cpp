#include "core/io/atomic_folder.h"

#include <filesystem>
#include <set>
#include <string>

#include "core/system/process.h"
#include "tests/core/io/files.h"
#include "tests/core/io/saves.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::names;
using test::read_text;
using test::save;
using test::write_text;

TEST(AtomicFolder, MakesAndReplacesAWholeFolder) {
  const TemporaryFolder folder;
  save(folder / "model", "one");
  write_text(folder / "model/left.txt", "from the old one");
  save(folder / "model/", "two");
  EXPECT_EQ(read_text(folder / "model/a.txt"), "two");
  EXPECT_EQ(read_text(folder / "model/sub/b.txt"), "two");
  EXPECT_EQ(names(folder / "model"), (std::set<std::string>{"a.txt", "sub"}));
  EXPECT_EQ(names(folder.path()), std::set<std::string>{"model"}) << "a temporary file was left";
}

TEST(AtomicFolder, AnExistingFolderIsReplacedOnlyIfItsCheckSaysSo) {
  const TemporaryFolder folder;
  save(folder / "notes", "mine");
  expect_error(Status::kArgument, "is not part of a model",
               [&] { AtomicFolder(folder / "notes"); });
  expect_error(Status::kState, "no", [&] {
    AtomicFolder(folder / "notes", [](const std::string&) { fail(Status::kState, "no"); });
  });
  EXPECT_EQ(names(folder.path()), std::set<std::string>{"notes"});
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NO_THROW(AtomicFolder(folder / "empty"));
}

TEST(AtomicFolder, ParentsAreMade) {
  const TemporaryFolder folder;
  save(folder / "x/y/model", "one");
  EXPECT_EQ(read_text(folder / "x/y/model/a.txt"), "one");
}

TEST(AtomicFolder, WithoutCommitNothingHappened) {
  const TemporaryFolder folder;
  save(folder / "model", "old");
  {
    AtomicFolder out(folder / "model", {});
    out.write_file("a.txt", "new");
    EXPECT_EQ(read_text(folder / "model/a.txt"), "old");
  }
  EXPECT_EQ(read_text(folder / "model/a.txt"), "old");
  EXPECT_EQ(names(folder.path()), std::set<std::string>{"model"});
}

TEST(AtomicFolder, ASecondSaverIsToldWhoSaves) {
  const TemporaryFolder folder;
  AtomicFolder first(folder / "model");
  expect_error(Status::kBusy, "process " + std::to_string(system::process_number()) + " is saving",
               [&] { AtomicFolder(folder / "model"); });
  AtomicFolder elsewhere(folder / "other");
  first.write_file("a.txt", "x");
  first.commit();
  EXPECT_NO_THROW(save(folder / "model", "after"));
}

TEST(AtomicFolder, WhatCannotBeATarget) {
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  expect_error(Status::kIo, "is a file", [&] { AtomicFolder(folder / "file"); });
  expect_error(Status::kIo, "file: cannot be created",
               [&] { AtomicFolder(folder / "file/model"); });
  expect_error(Status::kIo, ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
               [&] { AtomicFolder(folder / std::string(5000, 'a')); });
  expect_error(Status::kArgument, "empty", [&] { AtomicFolder(""); });
  expect_error(Status::kArgument, "NUL", [&] { AtomicFolder(std::string("a\0b", 3)); });
  expect_error(Status::kArgument, "cannot be replaced", [&] { AtomicFolder("/"); });
  AtomicFolder out(folder / "model");
  expect_error(Status::kFormat, "leaves", [&] { out.write_file("../escape", "x"); });
}

TEST(AtomicFolder, MoreThanTheDiskHasIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const AtomicFolder out(folder / "model");
  EXPECT_NO_THROW(out.require_space(1000));
  expect_error(Status::kNoSpace, "4611686018427387904 bytes are to be written",
               [&] { out.require_space(int64_t{1} << 62); });
}

}  // namespace
}  // namespace contrastive::io
