#include "core/system/file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

#include "core/base/file.h"
#include "tests/core/io/files.h"
#include "tests/temporary_folder.h"

namespace contrastive::system {
namespace {

using test::read_text;
using test::write_text;

Descriptor opened(const std::string& path, unsigned mode) {
  return Descriptor(open_file({kWorkingFolder, path.c_str()}, mode));
}

Kind kind_of(const std::string& path) {
  FileInfo info;
  return get_info({kWorkingFolder, path.c_str()}, Links::kKeep, info) ? info.kind : Kind::kNone;
}

bool rename_in(const TemporaryFolder& folder, const char* from, const char* to) {
  return rename((folder / from).c_str(), (folder / to).c_str());
}

TEST(SystemFile, ReadsAndWritesWhereItIsTold) {
  const TemporaryFolder folder;
  const Descriptor file = opened(folder / "a", kRead | kWrite | kCreate | kNew);
  ASSERT_TRUE(file);
  EXPECT_EQ(write_on(file.get(), "0123456789", 10), 10);
  EXPECT_EQ(write_at(file.get(), "abc", 3, 2), 3);
  char bytes[8] = {};
  EXPECT_EQ(read_at(file.get(), bytes, 4, 1), 4);
  EXPECT_EQ(std::string(bytes, 4), "1abc");
  EXPECT_TRUE(resize(file.get(), 5));
  EXPECT_EQ(read_at(file.get(), bytes, 8, 3), 2) << "the file ends there";
  EXPECT_EQ(read_at(file.get(), bytes, 8, 5), 0);
  EXPECT_TRUE(sync(file.get()));
  FileInfo info, by_name;
  ASSERT_TRUE(get_info(file.get(), info));
  ASSERT_TRUE(get_info({kWorkingFolder, (folder / "a").c_str()}, Links::kFollow, by_name));
  EXPECT_EQ(info.kind, Kind::kFile);
  EXPECT_EQ(info.size, 5);
  EXPECT_TRUE(info.is_same_file(by_name));
}

TEST(SystemFile, ErrnoSaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  write_text(folder / "a", "x");
  EXPECT_FALSE(opened(folder / "a", kWrite | kCreate | kNew));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_NE(error_text(EEXIST), "");
  EXPECT_FALSE(opened(folder / "absent", kRead));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(open_folder({kWorkingFolder, (folder / "a").c_str()}), 0);
  EXPECT_EQ(errno, ENOTDIR);
}

TEST(SystemFile, AppendsAtTheEnd) {
  const TemporaryFolder folder;
  write_text(folder / "a", "one");
  const Descriptor file = opened(folder / "a", kWrite | kAppend);
  EXPECT_EQ(write_on(file.get(), "two", 3), 3);
  EXPECT_EQ(read_text(folder / "a"), "onetwo");
}

TEST(SystemFile, OneDescriptorAtATimeHasTheLock) {
  const TemporaryFolder folder;
  write_text(folder / "a", "x");
  Descriptor first = opened(folder / "a", kRead | kWrite);
  const Descriptor second = opened(folder / "a", kRead | kWrite);
  if (try_lock(first.get()) == Locked::kCannot) GTEST_SKIP() << "the file system has no locks";
  EXPECT_EQ(try_lock(second.get()), Locked::kNo);
  Descriptor copy(duplicate(first.get()));
  first.close();
  EXPECT_EQ(try_lock(second.get()), Locked::kNo) << "its duplicate has it";
  copy.close();
  EXPECT_EQ(try_lock(second.get()), Locked::kYes);
}

TEST(SystemFile, RenamingReplacesFilesAndEmptyFolders) {
  const TemporaryFolder folder;
  write_text(folder / "a", "new");
  write_text(folder / "b", "old");
  EXPECT_TRUE(rename_in(folder, "a", "b"));
  EXPECT_EQ(read_text(folder / "b"), "new");
  EXPECT_EQ(kind_of(folder / "a"), Kind::kNone);
  write_text(folder / "full/file", "x");
  EXPECT_TRUE(make_folder((folder / "empty").c_str(), true));
  EXPECT_TRUE(rename_in(folder, "full", "empty"));
  EXPECT_EQ(read_text(folder / "empty/file"), "x");
  EXPECT_TRUE(make_folder((folder / "another").c_str(), false));
  EXPECT_FALSE(rename_in(folder, "another", "empty"));
  EXPECT_TRUE(errno == ENOTEMPTY || errno == EEXIST) << errno;
}

TEST(SystemFile, ExchangesTwoNamesWhereTheSystemCan) {
  const TemporaryFolder folder;
  write_text(folder / "a/file", "one");
  write_text(folder / "b/file", "two");
  const bool exchanged = exchange((folder / "a").c_str(), (folder / "b").c_str());
  const bool cannot = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  EXPECT_TRUE(exchanged || cannot) << errno;
  EXPECT_EQ(read_text(folder / "a/file"), exchanged ? "two" : "one");
  EXPECT_EQ(read_text(folder / "b/file"), exchanged ? "one" : "two");
}

TEST(SystemFile, AnUnnamedFileIsInNoFolder) {
  const TemporaryFolder folder;
  const Descriptor file(open_unnamed_file(folder.path().c_str()));
  if (!file) {
    EXPECT_TRUE(errno == EOPNOTSUPP || errno == EISDIR) << errno;
    return;
  }
  EXPECT_EQ(write_on(file.get(), "x", 1), 1);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(SystemFile, ListsAndRemovesFolders) {
  const TemporaryFolder folder;
  write_text(folder / "tree/a", "x");
  write_text(folder / "tree/b/c", "x");
  std::set<std::string> names;
  {
    Entries entries({kWorkingFolder, (folder / "tree").c_str()});
    ASSERT_TRUE(entries);
    while (const char* name = entries.next()) names.insert(name);
    EXPECT_EQ(errno, 0);
  }
  EXPECT_EQ(names, (std::set<std::string>{"a", "b"}));
  EXPECT_FALSE(Entries({kWorkingFolder, (folder / "absent").c_str()}));
  EXPECT_FALSE(remove_folder((folder / "tree").c_str()));
  EXPECT_EQ(errno, ENOTEMPTY);
  remove_tree((folder / "tree").c_str());
  EXPECT_EQ(kind_of(folder / "tree"), Kind::kNone);
}

TEST(SystemFile, LooksUpNamesInAnOpenFolder) {
  const TemporaryFolder folder;
  write_text(folder / "inside/a", "abc");
  const Descriptor inside(open_folder({kWorkingFolder, (folder / "inside").c_str()}));
  ASSERT_TRUE(inside);
  FileInfo info;
  EXPECT_TRUE(get_info({inside.get(), "a"}, Links::kFollow, info));
  EXPECT_EQ(info.size, 3);
  EXPECT_TRUE(Descriptor(open_file({inside.get(), "a"}, kRead)));
}

TEST(SystemFile, KnowsTheFreeSpaceOfADisk) {
  const TemporaryFolder folder;
  EXPECT_GT(free_space(folder.path().c_str()), 0);
  EXPECT_EQ(free_space((folder / "absent/a").c_str()), -1);
}

TEST(SystemFile, ResolvesPaths) {
  const TemporaryFolder folder;
  write_text(folder / "a/b", "x");
  const std::string real = real_path(folder / "a/../a/./b");
  EXPECT_TRUE(is_same_file(real, folder / "a/b"));
  EXPECT_EQ(real.find(".."), std::string::npos);
  EXPECT_EQ(real_path(folder / "absent"), "");
  EXPECT_EQ(link_target({kWorkingFolder, (folder / "a/b").c_str()}), "") << "it is no link";
}

}  // namespace
}  // namespace contrastive::system
