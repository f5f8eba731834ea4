// Saves beside other processes, full disks, umasks and symbolic links.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "core/base/rng.h"
#include "core/io/atomic_folder.h"
#include "tests/core/io/files.h"
#include "tests/core/io/saves.h"
#include "tests/expect_error.h"
#include "tests/file_size_limit.h"

namespace contrastive::io {
namespace {

using test::names;
using test::read_text;
using test::save;
using test::write_text;

TEST(AtomicFolder, ParentsAreMadeAndLinksFollowed) {
  const TemporaryFolder folder;
  save(folder / "x/y/model", "one");
  std::filesystem::create_directory_symlink(folder / "x/y/model", folder / "link");
  save(folder / "link", "two");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "x/y/model/a.txt"), "two");
}

TEST(AtomicFolder, ASaverInAnotherProcessIsRefused) {
  const TemporaryFolder folder;
  const AtomicFolder first(folder / "model");
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const AtomicFolder second(folder / "model");
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(error.status() == Status::kBusy ? 0 : 2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(AtomicFolder, WhatNobodyCanBeWritingIsRemoved) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);  // now certainly not a running process
  const std::string dead = std::to_string(child);
  write_text(folder / (".model.tmp-" + dead + "-0/a.txt"), "half");
  write_text(folder / (".model.tmp-" + std::to_string(::getppid()) + "-0/a.txt"),
             "under the lock no process can be writing it: the number is another's by now, or of "
             "another container");
  write_text(folder / ("..model.tmp-" + dead + "-0.tmp-" + dead + "-1/a.txt"),
             "of a folder inside the first");
  write_text(folder / (".model2.tmp-" + dead + "-0/a.txt"), "of another target");
  write_text(folder / ".model.tmp-notes/a.txt", "of the user");
  save(folder / "model", "new");
  EXPECT_EQ(names(folder.path()),
            (std::set<std::string>{"model", ".model2.tmp-" + dead + "-0", ".model.tmp-notes"}));
}

TEST(AtomicFolder, ATargetMovedAwayByAKilledSaverIsGivenBack) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  write_text(folder / (".model.tmp-" + std::to_string(child) + "-0.old/a.txt"), "the only copy");
  {
    const AtomicFolder out(folder / "model", {});
  }
  EXPECT_EQ(read_text(folder / "model/a.txt"), "the only copy");
}

TEST(AtomicFolder, AFullDiskLeavesTheOldFolder) {
  const TemporaryFolder folder;
  save(folder / "model", "old");
  {
    const FileSizeLimit full(4096);
    expect_error(Status::kNoSpace, "cannot be written",
                 [&] { save(folder / "model", std::string(100'000, 'x')); });
  }
  EXPECT_EQ(read_text(folder / "model/a.txt"), "old");
  EXPECT_EQ(names(folder.path()), std::set<std::string>{"model"});
}

// Runs a separate process in new namespaces, with a file system of one megabyte mounted over
// `folder`. False if the machine does not allow that.
bool mount_small(const std::string& folder) {
  const std::string uid = "0 " + std::to_string(::getuid()) + " 1",
                    gid = "0 " + std::to_string(::getgid()) + " 1";
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << uid;
    std::ofstream("/proc/self/gid_map") << gid;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
}

TEST(AtomicFolder, AFileSystemThatIsFullLeavesTheOldFolder) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small(folder.path())) ::_exit(77);
    save(folder / "model", "old");
    try {
      save(folder / "model", std::string(3'000'000, 'x'));
      ::_exit(1);
    } catch (const Error& error) {
      if (error.status() != Status::kNoSpace) ::_exit(2);
    }
    if (read_text(folder / "model/a.txt") != "old" ||
        names(folder.path()) != std::set<std::string>{"model"})
      ::_exit(3);
    save(folder / "model", "new");  // there is enough room for this one
    ::_exit(read_text(folder / "model/sub/b.txt") == "new" ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "a file system cannot be mounted here, not even in a new namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(AtomicFolder, AParentThatMayNotBeWrittenIsIo) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);  // root can write everywhere
    try {
      const AtomicFolder out(folder / "model");
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(error.status() == Status::kIo ? 0 : 2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::chmod(folder.path().c_str(), 0700);
}

TEST(AtomicFolder, AUmaskNeverTakesTheOwnersRights) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022, 0077, 0777}) {
    const std::string target = folder / std::to_string(mask);
    const mode_t before = ::umask(mask);
    save(target, "x");
    ::umask(before);
    for (const std::string& path : {target, target + "/sub"}) {
      struct stat info{};
      ASSERT_EQ(::stat(path.c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 0777, (0777 & ~mask) | 0700) << path;
    }
    EXPECT_EQ(read_text(target + "/sub/b.txt"), "x");
  }
}

TEST(AtomicFolder, ADeletedWorkingFolderIsAnError) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder;
    if (::chdir(folder.path().c_str()) != 0 || ::rmdir(folder.path().c_str()) != 0) ::_exit(3);
    try {
      AtomicFolder out("model");
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(error.status() == Status::kIo ? 0 : 2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(AtomicFolder, AKillAtAnyMomentLeavesAWholeFolder) {
  const TemporaryFolder folder;
  save(folder / "model", "start");
  Rng rng(5, Purpose::kSubset);
  for (int i = 0; i < 150; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int n = 0;; ++n) save(folder / "model", "content " + std::to_string(n));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200 + rng.below(6000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string content = read_text(folder / "model/a.txt");
    ASSERT_FALSE(content.empty()) << i;
    ASSERT_EQ(read_text(folder / "model/sub/b.txt"), content) << i;
  }
  save(folder / "model", "end");
  EXPECT_EQ(names(folder.path()), std::set<std::string>{"model"})
      << "files of dead processes were not removed";
}

}  // namespace
}  // namespace contrastive::io
