#include "core/data/row_store.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

constexpr int64_t kBytes = 64;

RowKey key(uint64_t n) { return {n * 0x9e3779b97f4a7c15ULL, n}; }
std::string row(uint64_t n) { return std::string(kBytes, static_cast<char>('a' + n % 26)); }
std::string read(const RowStore& store, int64_t number) {
  std::string bytes(kBytes, '\0');
  store.read(number, bytes.data());
  return bytes;
}

void fill(RowStore& store, uint64_t begin, uint64_t end) {
  for (uint64_t n = begin; n < end; ++n) store.append(key(n), n, row(n).data());
}

void expect_rows(RowStore& store, uint64_t begin, uint64_t end) {
  for (uint64_t n = begin; n < end; ++n) {
    const int64_t number = store.find(key(n));
    ASSERT_NE(number, RowStore::kAbsent) << n;
    EXPECT_EQ(read(store, number), row(n));
    EXPECT_EQ(store.note(number), n);
  }
}

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

TEST(RowStore, AFullDiskMovesItIntoMemory) {
  const TemporaryFolder folder;
  // A limit on the size of files simulates a full disk: the write fails at the same point.
  RowStore store(kBytes, folder.path());
  fill(store, 0, 4);
  ASSERT_EQ(::truncate((folder / "vectors").c_str(), 4 * kBytes), 0);
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 4 * kBytes;
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  fill(store, 4, 8);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_FALSE(store.durable());
  expect_rows(store, 0, 8);
}

TEST(RowStore, RefusesAFolderThatCannotBe) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  expect_error(Status::kIo, "file/cache: the cache folder cannot be created",
               [&] { RowStore(kBytes, folder / "file/cache"); });
}

}  // namespace
}  // namespace contrastive::data
