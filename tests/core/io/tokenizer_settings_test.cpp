#include "core/io/tokenizer_settings.h"

#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"

namespace contrastive::io {
namespace {

using test::expect_refused;
using test::ids;
using test::kBert;
using test::kVocab;
using test::write_text;
using testing::ElementsAre;

TEST(TokenizerFiles, AddedTokensOfOldFolders) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", kVocab);
  write_text(folder / "added_tokens.json", R"({"<b>": 10, "<a>": 9})");
  EXPECT_THAT(ids(folder.path(), "the<b><A>"), ElementsAre(2, 5, 10, 9, 3));
  EXPECT_EQ(load_tokenizer(folder.path())->vocab_size(), 11);
  write_text(folder / "added_tokens.json", R"({"<b>": 12})");
  expect_refused(folder, Status::kFormat, "'<b>' states id 12, but by the vocabulary it is 9");
}

TEST(TokenizerFiles, SettingsThatAreWrong) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", kBert);
  const auto refused = [&](const std::string& config, const std::string& message) {
    write_text(folder / "tokenizer_config.json", config);
    expect_refused(folder, Status::kFormat, message);
  };
  refused(R"({"truncation_side": "middle"})",
          "tokenizer_config.json: truncation_side must be left or right, not 'middle'");
  refused(R"({"split_special_tokens": "no"})", "split_special_tokens");
  refused(R"({"extra_special_tokens": "<e>"})",
          "extra_special_tokens must be a list of tokens or an object");
  refused(R"({"additional_special_tokens": [7]})", "additional_special_tokens must be a token");
  refused(R"({"added_tokens_decoder": [7]})", "added_tokens_decoder must be an object");
  refused(R"({"added_tokens_decoder": {"9": {"content": "<e>"}}})",
          "'<e>' states id 9, but by the vocabulary it is 6");
  write_text(folder / "tokenizer_config.json",
             R"({"fast_tokenizer_files": ["tokenizer.json", "tokenizer.4.0.json"]})");
  expect_refused(folder, Status::kUnsupported, "fast_tokenizer_files names \"tokenizer.4.0.json\"");
  std::filesystem::remove(folder / "tokenizer_config.json");
  std::string document = kBert;
  write_text(folder / "tokenizer.json",
             document.insert(1, R"("truncation": {"direction": "Up", "max_length": 4}, )"));
  expect_refused(folder, Status::kFormat, "direction must be Left or Right, not 'Up'");
}

}  // namespace
}  // namespace contrastive::io
