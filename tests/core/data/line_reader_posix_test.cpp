#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/data/line_reader.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

TEST(LineReader, AFifoIsNoTextFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "not a regular file but a FIFO",
               [&] { LineReader(folder / "fifo"); });
}

}  // namespace
}  // namespace contrastive::data
