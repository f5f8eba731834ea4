#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/core/data/packed.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

TEST(Gzip, SaysWhereItUnpacks) {
  const TemporaryFolder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TMPDIR", (folder / "absent").c_str(), 1);
  const std::string path = folder.write("t.gz", packed("one\n"));
  expect_error(Status::kIo, "TMPDIR", [&] { open_dataset(path, {}); });
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const auto data = open_dataset(folder / "t.gz", {});
  EXPECT_EQ(data->get(0).a, "one");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1) << "the uncompressed copy has no name";
  if (before == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", saved.c_str(), 1);
  }
}

}  // namespace
}  // namespace contrastive::data
