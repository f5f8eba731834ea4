// Full disks and umasks.
#include <sys/stat.h>

#include <string>

#include "core/io/atomic_file.h"
#include "tests/core/io/files.h"
#include "tests/core/io/saves.h"
#include "tests/expect_error.h"
#include "tests/file_size_limit.h"

namespace contrastive::io {
namespace {

using test::names;
using test::read_text;
using test::write_text;

TEST(AtomicFile, AFullDiskIsNoSpaceAndTheOldFileStays) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  {
    const FileSizeLimit full(4096);
    expect_error(Status::kNoSpace, "cannot be written",
                 [&] { write_file_atomic(folder / "a.txt", std::string(100'000, 'x')); });
  }
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(names(folder.path()).size(), 1u);
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
