#include "core/torch/methods/prompt.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

// bert_st with two prompts of its own.
std::shared_ptr<model::SentenceEncoder> prompted(const TemporaryFolder& folder,
                                                 const char* default_name) {
  std::filesystem::copy(fixtures() + "/models/bert_st", folder / "model",
                        std::filesystem::copy_options::recursive);
  const std::string path = folder / "model/config_sentence_transformers.json";
  std::filesystem::remove(path);
  std::ofstream(path) << Json({{"prompts", {{"query", "the cat "}, {"document", ""}}},
                               {"default_prompt_name", default_name}})
                             .dump();
  return model::SentenceEncoder::load(folder / "model");
}

TEST(Prompt, TheDefaultIsTheOneThatTheFolderNames) {
  const TemporaryFolder folder;
  EXPECT_EQ(default_prompt(*prompted(folder, "query")), "the cat ");
  EXPECT_EQ(default_prompt(*model::SentenceEncoder::load(fixtures() + "/models/bert_st")), "");
}

TEST(Prompt, ItsTokensAreLeftOutOfPoolingWhereTheModelSaysSo) {
  const TemporaryFolder folder;
  const auto model = prompted(folder, "query");
  EXPECT_EQ(Prompt("the cat ", *model).unpooled, 0) << "pooling includes it";
  std::filesystem::remove(folder / "model/1_Pooling/config.json");
  std::ofstream(folder / "model/1_Pooling/config.json")
      << R"({"word_embedding_dimension": )" << model->shape().hidden_size
      << R"(, "pooling_mode_mean_tokens": true, "include_prompt": false})";
  const auto without = model::SentenceEncoder::load(folder / "model");
  const Prompt prompt("the cat ", *without);
  EXPECT_EQ(prompt.text, "the cat ");
  EXPECT_EQ(prompt.unpooled,
            static_cast<int64_t>(without->tokenizer().encode("the cat", 0).ids.size()) - 1)
      << "without the closing token";
  EXPECT_EQ(Prompt("", *without).unpooled, 0);
}

}  // namespace
}  // namespace contrastive::methods
