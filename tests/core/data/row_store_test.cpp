#include "core/data/row_store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "tests/core/data/rows.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

void expect_corrupt(const RowStore& store, int64_t number) {
  expect_error(Status::kCorrupt, "/vectors: another process cut or changed it",
               [&] { read(store, number); });
}

TEST(RowStore, KeepsRowsInMemory) {
  RowStore store(kBytes);
  EXPECT_EQ(store.find(key(1)), RowStore::kAbsent);
  fill(store, 0, 1000);
  expect_rows(store, 0, 1000);
  EXPECT_FALSE(store.durable());
}

TEST(RowStore, KeepsRowsAcrossProcesses) {
  const TemporaryFolder folder;
  {
    RowStore store(kBytes, folder / "cache/deep");
    fill(store, 0, 300);
    expect_rows(store, 0, 300);
  }
  RowStore store(kBytes, folder / "cache/deep");
  EXPECT_EQ(store.size(), 300);
  expect_rows(store, 0, 300);
  fill(store, 300, 500);
  expect_rows(store, 0, 500);
}

TEST(RowStore, AFileThatIsCutWhileItIsOpenIsCorrupt) {
  const TemporaryFolder folder;
  {
    RowStore store(kBytes, folder.path());
    fill(store, 0, 10);
  }
  RowStore store(kBytes, folder.path());
  const int64_t found = store.find(key(9));
  EXPECT_EQ(read(store, found), row(9));
  std::filesystem::resize_file(folder / "vectors", 5 * kBytes + 3);
  expect_corrupt(store, found);
  EXPECT_EQ(store.find(key(7)),
            RowStore::kAbsent);  // not requested before, so it is computed again
  expect_rows(store, 0, 5);
  fill(store, 10, 12);  // the gap reads as zeros
  expect_corrupt(store, found);
  expect_rows(store, 10, 12);
}

TEST(RowStore, TornFilesCostTheLastRowsOnly) {
  const TemporaryFolder folder;
  {
    RowStore store(kBytes, folder.path());
    fill(store, 0, 10);
  }
  // The last row's bytes and half a record of the index were lost.
  const auto records = std::filesystem::file_size(folder / "index");
  std::filesystem::resize_file(folder / "vectors", 9 * kBytes + 5);
  std::filesystem::resize_file(folder / "index", records - 7);
  {
    RowStore store(kBytes, folder.path());
    EXPECT_EQ(store.size(), 9);
    expect_rows(store, 0, 9);
    EXPECT_EQ(store.find(key(9)), RowStore::kAbsent);
    fill(store, 9, 12);
  }
  RowStore store(kBytes, folder.path());
  expect_rows(store, 0, 12);
}

TEST(RowStore, ADamagedRowIsForgottenAndReplaced) {
  const TemporaryFolder folder;
  {
    RowStore store(kBytes, folder.path());
    fill(store, 0, 10);
  }
  std::fstream(folder / "vectors", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(4 * kBytes + 3)
      .write("!", 1);
  {
    RowStore store(kBytes, folder.path());
    EXPECT_EQ(store.find(key(4)), RowStore::kAbsent);
    expect_rows(store, 5, 10);
    fill(store, 4, 5);
    expect_rows(store, 0, 10);
  }
  RowStore store(kBytes, folder.path());
  expect_rows(store, 0, 10);
}

TEST(RowStore, ASecondWriterKeepsItsRowsInMemory) {
  const TemporaryFolder folder;
  RowStore first(kBytes, folder.path());
  fill(first, 0, 5);
  RowStore second(kBytes, folder.path());
  EXPECT_TRUE(first.durable());
  EXPECT_FALSE(second.durable());
  fill(second, 5, 9);
  expect_rows(second, 0, 9);
  fill(first, 5, 7);
  expect_rows(first, 0, 7);
  EXPECT_EQ(RowStore(kBytes, folder.path()).size(), 7);
}

TEST(RowStore, RefusesAFolderThatCannotBe) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  expect_error(Status::kIo, "file/cache: cannot be created",
               [&] { RowStore(kBytes, folder / "file/cache"); });
}

}  // namespace
}  // namespace contrastive::data
