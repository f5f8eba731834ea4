#include <sys/stat.h>

#include "core/io/safetensors.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

TEST(Safetensors, AFifoIsRefusedWithoutBlocking) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "not a regular file", [&] { SafetensorsFile(folder / "fifo"); });
}

}  // namespace
}  // namespace contrastive::io
