// A README.md that is a FIFO or a symbolic link.
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "core/io/kept_readme.h"
#include "core/io/model_folder.h"
#include "tests/core/io/files.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::read_text;
using test::write_text;
using testing::HasSubstr;

TEST(KeptReadme, WhatIsNoFileIsNotRead) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  std::filesystem::remove(folder / "saved/README.md");
  ASSERT_EQ(::mkfifo((folder / "saved/README.md").c_str(), 0600), 0);
  const ModelFolder again =
      read_model_folder(folder / "saved");  // a FIFO without a writer does not block
  EXPECT_EQ(again.readme, "");
  EXPECT_THAT(again.notes.back(), HasSubstr("README.md"));
  write_model_folder(folder / "saved", again);
  EXPECT_TRUE(is_untouched_card(read_text(folder / "saved/README.md")));
}

TEST(KeptReadme, ALinkOfALoadedFolderIsNotFollowed) {
  const TemporaryFolder folder;
  std::filesystem::copy(kModels + "bert_st", folder / "model",
                        std::filesystem::copy_options::recursive);
  write_text(folder / "secret", "what stands elsewhere on the machine\n");
  std::filesystem::remove(folder / "model/README.md");
  std::filesystem::create_symlink(folder / "secret", folder / "model/README.md");
  const ModelFolder model = read_model_folder(folder / "model");
  EXPECT_EQ(model.readme, "");
  EXPECT_THAT(model.notes.back(), HasSubstr("README.md: it is a symbolic link"));
  write_model_folder(folder / "saved", model);
  EXPECT_TRUE(is_untouched_card(read_text(folder / "saved/README.md")));
}

TEST(KeptReadme, OfAModelInAHubsCacheIsALinkThatIsFollowed) {
  const TemporaryFolder folder;
  const std::string snapshot = folder / "models--owner--name/snapshots/1a2b";
  std::filesystem::create_directories(snapshot);
  std::filesystem::create_directories(folder / "models--owner--name/blobs");
  std::filesystem::copy(kModels + "bert_st", snapshot, std::filesystem::copy_options::recursive);
  write_text(folder / "models--owner--name/blobs/0123abcd", "# Published by somebody\n");
  std::filesystem::remove(snapshot + "/README.md");
  std::filesystem::create_symlink("../../blobs/0123abcd", snapshot + "/README.md");
  EXPECT_EQ(read_model_folder(snapshot).readme, "# Published by somebody\n");
  std::filesystem::remove(snapshot + "/README.md");
  std::filesystem::create_symlink("../../blobs/../../secret", snapshot + "/README.md");
  EXPECT_EQ(read_model_folder(snapshot).readme, "");
}

}  // namespace
}  // namespace contrastive::io
