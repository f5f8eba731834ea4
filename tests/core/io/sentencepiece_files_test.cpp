#include "core/io/sentencepiece_files.h"

#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/core/io/sentencepiece_bytes.h"
#include "tests/core/io/sentencepiece_tests.h"
#include "tests/core/io/tokenizer_folders.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::fairseq;
using test::ids;
using test::SentencePieceBytes;
using test::write_text;
using testing::ElementsAre;

TEST(SentencePieceFiles, XlmRobertaShiftsItsIdsByOne) {
  const TemporaryFolder folder;
  write_text(folder / "sentencepiece.bpe.model", fairseq().bytes());
  write_text(folder / "tokenizer_config.json",
             R"({"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 512})");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->kind(), "unigram");
  EXPECT_EQ(tokenizer->vocab_size(), 8);  // six pieces, the padding token and the mask
  EXPECT_THAT(ids(*tokenizer, "a  ab x"), ElementsAre(0, 4, 4, 5, 6, 3, 2));
  EXPECT_THAT(ids(*tokenizer, "a <mask>"), ElementsAre(0, 4, 7, 2));
  EXPECT_THAT(tokenizer->encode_pair("a", "a", 0).ids, ElementsAre(0, 4, 2, 2, 4, 2));
  EXPECT_EQ(tokenizer->special_ids().cls, 0);
  EXPECT_EQ(tokenizer->special_ids().pad, 1);
  EXPECT_EQ(tokenizer->special_ids().mask, 7);
  EXPECT_TRUE(tokenizer->is_special(7));
}

TEST(SentencePieceFiles, CamembertShiftsByFour) {
  const TemporaryFolder folder;
  write_text(folder / "sentencepiece.bpe.model", fairseq().bytes());
  write_text(folder / "config.json", R"({"model_type": "camembert"})");  // if no class is named
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_THAT(ids(*tokenizer, "ab"), ElementsAre(5, 7, 8, 6));
  EXPECT_THAT(ids(*tokenizer, "x <mask>"), ElementsAre(5, 9, 3, 10, 6));
}

TEST(SentencePieceFiles, AlbertNormalisesAndT5AddsTokens) {
  const TemporaryFolder folder;
  SentencePieceBytes bytes;
  bytes.piece("<pad>", 0, 3)
      .piece("<unk>", 0, 2)
      .piece("[CLS]", 0, 3)
      .piece("[SEP]", 0, 3)
      .piece("[MASK]", 0, 4);
  bytes.piece("\u2581e", -1, 1)
      .piece("\"", -2, 1)
      .piece("9,", -1, 1)
      .piece("9", -3, 1)
      .piece(",", -3, 1);
  write_text(folder / "spiece.model", bytes.trainer(1, false, 1).bytes());
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer"})");
  EXPECT_THAT(ids(*load_tokenizer(folder.path()), "É``9,"), ElementsAre(2, 5, 6, 8, 9, 3));
  EXPECT_THAT(load_tokenizer(folder.path())->encode_pair("e", "e", 0).type_ids,
              ElementsAre(0, 0, 0, 1, 1));

  SentencePieceBytes t5;
  t5.piece("<pad>", 0, 3).piece("</s>", 0, 3).piece("<unk>", 0, 2).piece("\u2581a", -1, 1);
  write_text(folder / "spiece.model", t5.trainer(1, false, 2).bytes());
  write_text(folder / "tokenizer_config.json",
             R"({"tokenizer_class": "T5TokenizerFast", "extra_ids": 3})");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_THAT(ids(*tokenizer, "a<extra_id_0>a<extra_id_2>"), ElementsAre(3, 6, 3, 4, 1));
  EXPECT_THAT(tokenizer->encode_pair("a", "a", 0).ids, ElementsAre(3, 1, 3, 1));
}

TEST(SentencePieceFiles, BadFolders) {
  const TemporaryFolder folder;
  const auto refused = [&](Status status, const std::string& message) {
    expect_error(status, message, [&] { load_tokenizer(folder.path()); });
  };
  write_text(folder / "spiece.model", fairseq().bytes());
  refused(Status::kUnsupported, "tokenizer_class of tokenizer_config.json must say");
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "XLNetTokenizer"})");
  refused(Status::kUnsupported, "XLNetTokenizer");
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer"})");
  refused(Status::kFormat, "none of its 6 tokens is [CLS]");
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  write_text(folder / "spiece.model", fairseq().trainer(2, false, 0).bytes());
  refused(Status::kUnsupported, "of type 2; XLMRobertaTokenizer takes 1, unigram");
  write_text(folder / "spiece.model", SentencePieceBytes().piece("a", 0, 1).bytes());
  refused(Status::kFormat, "the first three pieces must be");
  write_text(folder / "spiece.model", fairseq().piece("c", std::nanf(""), 1).bytes());
  refused(Status::kFormat, "the score of the token 'c' is not a finite number");
  write_text(folder / "spiece.model", fairseq().piece("b", 0, 1).bytes());
  refused(Status::kFormat, "appears twice");
  write_text(folder / "spiece.model", fairseq().charsmap("abc").bytes());
  refused(Status::kFormat, "no map of characters");
}

}  // namespace
}  // namespace contrastive::io
