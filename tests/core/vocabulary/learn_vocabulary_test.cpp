#include "core/vocabulary/learn_vocabulary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/io/tokenizer_files.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::vocabulary {
namespace {

std::string corpus(const TemporaryFolder& folder) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "the cat sat on the mat\nthe dog and the cat\n";
  return folder.write("corpus.txt", lines);
}

VocabularyOptions of_kind(text::VocabularyKind kind) {
  VocabularyOptions options;
  options.learner.kind = kind;
  options.learner.size = 300;
  options.max_length = 64;
  return options;
}

TEST(LearnVocabulary, EveryKindIsATokenizersFolder) {
  const TemporaryFolder folder;
  const std::string input = corpus(folder);
  for (const text::VocabularyKind kind :
       {text::VocabularyKind::kWordPiece, text::VocabularyKind::kByteBpe,
        text::VocabularyKind::kUnigram}) {
    learn_vocabulary(input, folder / "made", of_kind(kind), nullptr);
    const auto tokenizer = io::load_tokenizer(folder / "made");
    EXPECT_EQ(tokenizer->model_max_length(), 64) << static_cast<int>(kind);
    EXPECT_GE(tokenizer->special_ids().mask, 0) << static_cast<int>(kind);
    const auto cat = tokenizer->encode("the cat", 0).ids;
    EXPECT_EQ(cat.size(), 4u) << "two known words in two marks, " << static_cast<int>(kind);
    EXPECT_NE(cat, tokenizer->encode("the dog", 0).ids) << static_cast<int>(kind);
  }
}

TEST(LearnVocabulary, AFolderOfOtherThingsIsNotReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "mine");
  folder.write("mine/thesis.tex", "years of work");
  expect_error(Status::kArgument, "'thesis.tex' in it belongs to no vocabulary", [&] {
    learn_vocabulary(corpus(folder), folder / "mine", of_kind(text::VocabularyKind::kWordPiece),
                     nullptr);
  });
  EXPECT_TRUE(std::filesystem::exists(folder / "mine/thesis.tex"));
}

TEST(LearnVocabulary, ATextAndNoCancelAreNeeded) {
  const TemporaryFolder folder;
  const VocabularyOptions options = of_kind(text::VocabularyKind::kWordPiece);
  expect_error(Status::kArgument, "no text in it", [&] {
    learn_vocabulary(folder.write("e.txt", "\n \n"), folder / "v", options, nullptr);
  });
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { learn_vocabulary(corpus(folder), folder / "v", options, &cancel); });
  EXPECT_FALSE(std::filesystem::exists(folder / "v"));
}

TEST(VocabularyOptions, BytesHaveNoCaseAndNoAlphabet) {
  VocabularyOptions options = of_kind(text::VocabularyKind::kByteBpe);
  EXPECT_NO_THROW(options.validate(Config()));
  for (const char* key : {"alphabet_limit", "lowercase", "strip_accents"}) {
    Config config;
    config.set(key, "1");
    expect_error(Status::kArgument, key, [&] { options.validate(config); });
    EXPECT_NO_THROW(of_kind(text::VocabularyKind::kUnigram).validate(config));
  }
}

}  // namespace
}  // namespace contrastive::vocabulary
