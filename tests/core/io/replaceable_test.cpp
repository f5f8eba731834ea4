#include <filesystem>

#include "core/io/model_folder.h"
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::read_text;
using test::write_text;

TEST(ModelFolderWrite, AFolderWithOtherThingsInItIsNotReplaced) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model);
  write_text(folder / "saved/thesis.tex", "years of work");
  expect_error(Status::kArgument, "'thesis.tex' in it is not part of a model",
               [&] { write_model_folder(folder / "saved", model); });
  EXPECT_EQ(read_text(folder / "saved/thesis.tex"), "years of work");
  write_text(folder / "mine/README.md", "not a model");
  expect_error(Status::kArgument, "neither empty nor a model folder",
               [&] { write_model_folder(folder / "mine", model); });
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NO_THROW(write_model_folder(folder / "empty", model));
}

TEST(ModelFolderWrite, AFolderWithAnyTokenizerIsReplaced) {
  for (const char* kind :
       {"kinds/sentencepiece", "kinds/unigram", "kinds/qwen_bpe", "models/roberta_hf"}) {
    const TemporaryFolder folder;
    ModelFolder model = read_model_folder(kModels + "bert_st");
    model.tokenizer_files = read_tokenizer_bytes(kModels + "../" + kind);
    ASSERT_FALSE(model.tokenizer_files.empty()) << kind;
    for (int i = 0; i < 2; ++i)
      EXPECT_NO_THROW(write_model_folder(folder / "saved", model)) << kind;
  }
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st");
  for (const char* name : {"spiece.model", "tokenizer.model", "sentencepiece.bpe.model"}) {
    ASSERT_TRUE(is_tokenizer_file(name));
    model.tokenizer_files[name] = "as it came";
  }
  for (int i = 0; i < 2; ++i) EXPECT_NO_THROW(write_model_folder(folder / "saved", model));
}

}  // namespace
}  // namespace contrastive::io
