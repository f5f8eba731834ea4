#include <sys/stat.h>

#include "core/io/tokenizer_folder.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"

namespace contrastive::io {
namespace {

using test::expect_refused;

TEST(TokenizerFiles, AFifoInAFolderIsNotWaitedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "tokenizer.json").c_str(), 0600), 0);
  expect_refused(folder, Status::kArgument, "not a regular file");
}

}  // namespace
}  // namespace contrastive::io
