// Temporary files beside links, special files and other processes.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "core/base/temporary.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

using test::read_text;
using test::write_text;

std::set<std::string> entries(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(folder))
    names.insert(item.path().filename().string());
  return names;
}

pid_t a_dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Temporary, ALinkStaysALink) {
  const TemporaryFolder folder;
  write_text(folder / "far/a", "old");
  std::filesystem::create_symlink("far/a", folder / "link");
  std::filesystem::create_symlink("nowhere", folder / "broken");
  for (const char* name : {"link", "broken"}) {
    TemporaryFile file(folder / name);
    write_all(file.descriptor(), "new", file.path());
    file.commit();
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "far/a"), "new");
  EXPECT_EQ(entries(folder / "far"), std::set<std::string>{"a"});
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "broken"));
  EXPECT_EQ(read_text(folder / "broken"), "new");
}

TEST(Temporary, WhatTheDeadLeftGoesAndWhatIsHeldStays) {
  const TemporaryFolder folder;
  const std::string dead = std::to_string(a_dead_process()), own = std::to_string(::getpid()),
                    living = std::to_string(::getppid());
  const TemporaryFile held(folder / "a");  // by another thread, for instance
  const ScratchFolder held_folder(folder / "a");
  write_text(folder / (".a.tmp-" + dead + "-0"), "half");
  write_text(folder / (".a.tmp-" + own + "-987654"),
             "of a process of our number, in a container that was started again");
  write_text(folder / (".a.tmp-" + living + "-0"), "of a process that lives");
  write_text(folder / (".a.tmp-" + dead + "-1/inside"), "a folder");
  write_text(folder / (".b.tmp-" + dead + "-0"), "another target");
  write_text(folder / ".a.tmp-notes", "of the user");
  {
    const TemporaryFile file(folder / "a");
  }
  EXPECT_EQ(entries(folder.path()),
            (std::set<std::string>{base_name(held.path()), base_name(held_folder.path()),
                                   ".a.tmp-" + living + "-0", ".b.tmp-" + dead + "-0",
                                   ".a.tmp-notes"}));
}

TEST(Temporary, UnderTheTargetsLockTheNumberDecidesNothing) {
  const TemporaryFolder folder;
  const std::string living = ".a.tmp-" + std::to_string(::getppid()) + "-";
  write_text(folder / (living + "0"),
             "of another container, where the number was another process's");
  write_text(folder / (living + "1"), "to be kept");
  const TemporaryFile held(folder / "a");
  remove_stale_temporaries(folder / "a");
  EXPECT_EQ(entries(folder.path()).size(), 3u);
  remove_dead_temporaries(folder / "a",
                          [&](const std::string& path) { return base_name(path) == living + "1"; });
  EXPECT_EQ(entries(folder.path()), (std::set<std::string>{base_name(held.path()), living + "1"}));
}

TEST(Temporary, AProcessThatIsKilledHoldsNothing) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFile file(folder / "a");
    const ScratchFolder inside(folder / "a");
    ::_exit(0);  // without a destructor, as if killed
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(entries(folder.path()).size(), 2u);
  remove_stale_temporaries(folder / "a");
  EXPECT_TRUE(entries(folder.path()).empty());
}

TEST(Temporary, AFifoOrADeviceIsNotReplaced) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "not a regular file", [&] { TemporaryFile(folder / "fifo"); });
  ASSERT_EQ(::symlink("/dev/null", (folder / "null").c_str()), 0);
  expect_error(Status::kArgument, "not a regular file", [&] { TemporaryFile(folder / "null"); });
}

}  // namespace
}  // namespace contrastive
