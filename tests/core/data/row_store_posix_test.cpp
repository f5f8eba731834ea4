#include <gtest/gtest.h>

#include <filesystem>

#include "core/data/row_store.h"
#include "tests/core/data/rows.h"
#include "tests/file_size_limit.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

TEST(RowStore, AFullDiskMovesItIntoMemory) {
  const TemporaryFolder folder;
  // A limit on the size of files simulates a full disk: the write fails at the same point.
  RowStore store(kBytes, folder.path());
  fill(store, 0, 4);
  std::filesystem::resize_file(folder / "vectors", 4 * kBytes);
  {
    const FileSizeLimit full(4 * kBytes);
    fill(store, 4, 8);
  }
  EXPECT_FALSE(store.durable());
  expect_rows(store, 0, 8);
}

}  // namespace
}  // namespace contrastive::data
