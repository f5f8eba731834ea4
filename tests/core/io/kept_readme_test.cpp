#include "core/io/kept_readme.h"

#include <filesystem>
#include <string>

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
