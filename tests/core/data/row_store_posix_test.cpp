#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "core/data/row_store.h"
#include "tests/core/data/rows.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

TEST(RowStore, AFullDiskMovesItIntoMemory) {
  const TemporaryFolder folder;
  // A limit on the size of files simulates a full disk: the write fails at the same point.
  RowStore store(kBytes, folder.path());
  fill(store, 0, 4);
  std::filesystem::resize_file(folder / "vectors", 4 * kBytes);
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

}  // namespace
}  // namespace contrastive::data
