// Full disks and umasks.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include "core/io/atomic_file.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::read_text;
using test::write_text;

size_t entries(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                           std::filesystem::directory_iterator()));
}

TEST(AtomicFile, AFullDiskIsNoSpaceAndTheOldFileStays) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  // A file size limit fails like a full disk (EFBIG instead of ENOSPC) and needs no extra file
  // system.
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(Status::kNoSpace, "cannot be written",
               [&] { write_file_atomic(folder / "a.txt", std::string(100'000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AUmaskNeverTakesTheOwnersRights) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0000, 0027, 0077, 0777}) {
    const mode_t before = ::umask(mask);
    const std::string path = folder / std::to_string(mask);
    write_file_atomic(path, "x");
    ::umask(before);
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, (0666 & ~mask) | 0600);
  }
}

}  // namespace
}  // namespace contrastive::io
