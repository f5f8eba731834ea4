// Special files, links and permissions in place of a model folder and inside one.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;

TEST(ModelFolderRead, SpecialFilesAndLoopsOfLinksAreNoModelFolder) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(Status::kArgument, "a folder is needed",
               [&] { read_model_folder(folder / "fifo"); });
  expect_error(Status::kArgument, "a folder is needed", [&] { read_model_folder("/dev/null"); });
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  expect_error(Status::kIo, "loop", [&] { read_model_folder(folder / "loop"); });
}

TEST(ModelFolderRead, ASpecialFileInsideBlocksNobody) {
  for (const char* name : {"config.json", "model.safetensors", "modules.json",
                           "1_Pooling/config.json", "tokenizer.json"}) {
    const TemporaryFolder folder(kModels + "bert_st");
    std::filesystem::remove(folder / name);
    ASSERT_EQ(::mkfifo((folder / name).c_str(), 0600), 0);
    expect_error(Status::kArgument, "not a regular file",
                 [&] { read_model_folder(folder.path()); });
  }
}

TEST(ModelFolderRead, AnUnreadableFolderIsIo) {
  const TemporaryFolder folder(kModels + "bert_st");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);  // root can read everything
    try {
      read_model_folder(folder.path());
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(error.status() == Status::kIo ? 0 : 2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::chmod(folder.path().c_str(), 0700);
}

}  // namespace
}  // namespace contrastive::io
