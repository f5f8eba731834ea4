#include "core/io/kept_readme.h"

#include <sys/stat.h>

#include "core/io/atomic_folder.h"
#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::read_text;
using test::write_text;
using testing::HasSubstr;

bool is_there(const std::string& path) { return std::filesystem::exists(path); }

TEST(KeptReadme, OfAPersonGoesOnBesideTheNewCard) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  write_text(folder / "saved/README.md", "# What we found out in March\n");
  write_model_folder(folder / "saved", model);
  EXPECT_TRUE(is_untouched_card(read_text(folder / "saved/README.md")));
  EXPECT_EQ(read_text(folder / "saved/README.before.md"), "# What we found out in March\n");
  // It is copied by later saves, and a second one gets another name.
  write_model_folder(folder / "saved", model);
  EXPECT_EQ(read_text(folder / "saved/README.before.md"), "# What we found out in March\n");
  write_text(folder / "saved/README.md", "# And in April\n");
  write_model_folder(folder / "saved", model);
  EXPECT_EQ(read_text(folder / "saved/README.before.md"), "# What we found out in March\n");
  EXPECT_EQ(read_text(folder / "saved/README.before-2.md"), "# And in April\n");
  // The same text is kept only once.
  write_text(folder / "saved/README.md", "# And in April\n");
  write_model_folder(folder / "saved", model);
  EXPECT_FALSE(is_there(folder / "saved/README.before-3.md"));
}

TEST(KeptReadme, ACardIsReplacedUnlessSomebodyChangedIt) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  write_model_folder(folder / "saved", model);
  EXPECT_FALSE(is_there(folder / "saved/README.before.md"));
  test::edit(folder / "saved/README.md", "# Sentence encoder", "# Our sentence encoder");
  const std::string changed = read_text(folder / "saved/README.md");
  write_model_folder(folder / "saved", model);
  EXPECT_EQ(read_text(folder / "saved/README.before.md"), changed);
  EXPECT_THAT(read_text(folder / "saved/README.md"), HasSubstr("# Sentence encoder"));
}

TEST(KeptReadme, AModelSavedOverItselfKeepsItsReadmeWhereItIs) {
  const TemporaryFolder folder;
  std::filesystem::copy(kModels + "bert_st", folder / "model",
                        std::filesystem::copy_options::recursive);
  write_text(folder / "model/README.md", "---\nlicense: mit\n---\n# Published by somebody\n");
  write_model_folder(folder / "model", read_model_folder(folder / "model"));
  EXPECT_EQ(read_text(folder / "model/README.md"),
            "---\nlicense: mit\n---\n# Published by somebody\n");
  EXPECT_FALSE(is_there(folder / "model/README.before.md"));
  write_model_folder(folder / "other", read_model_folder(folder / "model"));
  EXPECT_EQ(read_text(folder / "other/README.md"),
            "---\nlicense: mit\n---\n# Published by somebody\n");
}

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

TEST(KeptReadme, TooLargeAReadmeIsRefusedBeforeAnythingIsReplaced) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  std::filesystem::resize_file(folder / "saved/README.md", (int64_t{64} << 20) + 1);
  expect_error(Status::kLimit, "README.md", [&] {
    check_replaceable_model(folder / "saved");
  });  // before a run whose save would fail here
  expect_error(Status::kLimit, "README.md", [&] { write_model_folder(folder / "saved", model); });
  EXPECT_TRUE(is_there(folder / "saved/model.safetensors"));
  EXPECT_EQ(read_model_folder(folder / "saved").readme, "");
}

TEST(KeptReadme, AFolderOfSuchANameIsNotLost) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  std::filesystem::create_directory(folder / "saved/README.before-2.md");
  expect_error(Status::kArgument, "README.before-2.md",
               [&] { check_replaceable_model(folder / "saved"); });
}

TEST(KeptReadme, NamesThatASaveGives) {
  for (const char* name : {"README.before.md", "README.before-2.md", "README.before-99999.md"})
    EXPECT_TRUE(is_kept_readme(name)) << name;
  for (const char* name :
       {"README.md", "README.before-.md", "README.before-x.md", "README.before.mdx",
        "README.beforehand.md", "README.before-123456.md"}) {
    EXPECT_FALSE(is_kept_readme(name)) << name;
  }
}

}  // namespace
}  // namespace contrastive::io
