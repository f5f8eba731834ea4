#include "core/base/temporary.h"

#include <filesystem>
#include <set>
#include <string>

#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using test::read_text;

std::set<std::string> entries(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(folder))
    names.insert(item.path().filename().string());
  return names;
}

TEST(Temporary, NamesSayWhatTheyAreTemporariesOf) {
  EXPECT_EQ(target_of_temporary(base_name(temporary_path("/a/model"))), "model");
  EXPECT_NE(temporary_path("model"), temporary_path("model"));
  EXPECT_EQ(parent_folder(temporary_path("/a/b/model")), "/a/b");
  EXPECT_EQ(target_of_temporary(".metrics.jsonl.tmp-12-345"), "metrics.jsonl");
  EXPECT_EQ(target_of_temporary(".model.tmp-12-0.old"), "model");
  EXPECT_EQ(target_of_temporary("..model.tmp-12-0.lock"), "model");
  EXPECT_EQ(target_of_temporary("..model.tmp-12-0.tmp-12-1"), "model");
  for (const char* other : {"", ".", "model", ".model.lock", ".model.tmp-", ".model.tmp-12",
                            ".model.tmp-a-1", ".tmp-1-1", "model.tmp-1-1", ".model.tmp-1-1x",
                            ".model.tmp-notes", ".model.tmp-1234567890-1", ".a.tmp-1-"}) {
    EXPECT_EQ(target_of_temporary(other), "") << other;
  }
}

TEST(Temporary, AFileHasItsNameOnceItIsCommitted) {
  const TemporaryFolder folder;
  {
    TemporaryFile lost(folder / "a");
    write_all(lost.descriptor(), "lost", lost.path());
  }
  EXPECT_TRUE(entries(folder.path()).empty());
  TemporaryFile file(folder / "a");
  write_all(file.descriptor(), "kept", file.path());
  EXPECT_FALSE(path_exists(folder / "a"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a"), "kept");
  EXPECT_EQ(entries(folder.path()), std::set<std::string>{"a"});
}

TEST(Temporary, WhatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  expect_error(Status::kIo, "absent", [&] { TemporaryFile(folder / "absent/a"); });
  expect_error(Status::kIo, "absent", [&] { ScratchFolder(folder / "absent/a"); });
  std::filesystem::create_directory(folder / "taken");
  expect_error(Status::kIo, "cannot be replaced",
               [&] { TemporaryFile(folder / "taken").commit(); });
  EXPECT_EQ(entries(folder.path()), std::set<std::string>{"taken"});
}

}  // namespace
}  // namespace contrastive
