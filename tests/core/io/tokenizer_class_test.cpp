#include "core/io/tokenizer_class.h"

#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"

namespace contrastive::io {
namespace {

using test::expect_refused;
using test::ids;
using test::kBert;
using test::write_text;

TEST(TokenizerFiles, AClassThatBuildsATokenizerOfItsOwnIsRefused) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", kBert);
  for (const char* name : {"HerbertTokenizer", "FunnelTokenizerFast", "LlamaTokenizer"}) {
    write_text(folder / "tokenizer_config.json", Json({{"tokenizer_class", name}}).dump());
    expect_refused(folder, Status::kUnsupported,
                   "state PreTrainedTokenizerFast to take tokenizer.json as it is");
  }
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
  EXPECT_EQ(ids(folder.path(), "the cats").size(), 4u);
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  write_text(folder / "config.json", R"({"model_type": "modernbert"})");
  EXPECT_EQ(ids(folder.path(), "the cats").size(), 4u) << "which takes the file as it is";
}

TEST(TokenizerFiles, AModelOfAnotherTypeKeepsTheTokenizerClass) {
  const auto kept = [](const std::string& config, const std::string& model_type) {
    const TemporaryFolder folder;
    write_text(folder / "tokenizer.json", kBert);
    write_text(folder / "tokenizer_config.json", "{}");
    write_text(folder / "config.json", config);
    auto files = read_tokenizer_bytes(folder.path());
    keep_tokenizer_class(folder.path(), model_type, files);
    return parse_json(files.at("tokenizer_config.json"), "here");
  };
  EXPECT_EQ(kept(R"({"model_type": "bert"})", "electra"), Json::object())
      << "both are read as BertTokenizer";
  EXPECT_EQ(kept("{}", "modernbert"), Json::object());
  EXPECT_EQ(kept(R"({"model_type": "bert"})", "roberta")["tokenizer_class"], "BertTokenizer");
  const Json bare = kept("{}", "bert");
  EXPECT_EQ(bare["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(bare["model_input_names"].size(), 3u);
}

}  // namespace
}  // namespace contrastive::io
