#include "core/io/sentencepiece_files.h"

#include "core/io/sentencepiece_bpe.h"
#include "core/io/tokenizer_files.h"
#include "core/text/byte_tokens.h"
#include "tests/core/io/files.h"
#include "tests/core/io/sentencepiece_bytes.h"

namespace contrastive::io {
namespace {

using test::expect_error;
using test::SentencePieceBytes;
using test::write_text;
using testing::ElementsAre;

SentencePieceBytes fairseq() {
  SentencePieceBytes bytes;
  bytes.piece("<unk>", 0, 2)
      .piece("<s>", 0, 3)
      .piece("</s>", 0, 3)
      .piece("\u2581a", -1, 1)
      .piece("b", -2, 1)
      .piece("\u2581", -3, 1);
  return bytes.trainer(1, false, 0);
}

std::vector<int32_t> ids(const text::Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, 0).ids;
}

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

// Pieces of a BPE, in the order in which they were learnt.
SentencePieceBytes merged() {
  SentencePieceBytes bytes;
  bytes.piece("<pad>", 0, 3).piece("<eos>", 0, 3).piece("<bos>", 0, 3).piece("<unk>", 0, 2);
  for (int byte = 0; byte < 256; ++byte)
    bytes.piece(text::ByteTokens::name(static_cast<unsigned char>(byte)), 0, 6);
  float score = 0;
  for (const char* piece : {"ab", "bc", "\u2581ab", "abc", "\u2581", "a", "b", "c"})
    bytes.piece(piece, score--, 1);
  return bytes.piece("\n\n", 0, 4).trainer(2, true, 3);
}

TEST(SentencePieceFiles, MergesAreThoseThatThePiecesStandFor) {
  using Merge = std::pair<std::string, std::string>;
  const auto merges =
      sentencepiece_merges(parse_sentencepiece_model(merged().bytes(), "model"), "model");
  EXPECT_THAT(merges, ElementsAre(Merge("a", "b"), Merge("b", "c"), Merge("\u2581", "ab"),
                                  Merge("a", "bc"), Merge("ab", "c")));
}

TEST(SentencePieceFiles, GemmaAndLlamaMergeCharactersAndFallBackToBytes) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.model", merged().bytes());
  write_text(folder / "tokenizer_config.json",
             R"({"tokenizer_class": "GemmaTokenizer", "add_bos_token": true})");
  const auto gemma = load_tokenizer(folder.path());
  EXPECT_EQ(gemma->kind(), "bpe");
  EXPECT_THAT(ids(*gemma, "abc ab"), ElementsAre(2, 263, 262));
  EXPECT_THAT(ids(*gemma, " é<eos>\n\n"), ElementsAre(2, 264, 4 + 0xC3, 4 + 0xA9, 1, 268));
  EXPECT_THAT(ids(*gemma, ""), ElementsAre(2));
  EXPECT_EQ(gemma->special_ids().cls, 2);
  EXPECT_FALSE(gemma->is_special(268));
  write_text(
      folder / "tokenizer_config.json",
      R"({"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<bos>", "eos_token": "<eos>", "add_eos_token": true})");
  EXPECT_THAT(ids(*load_tokenizer(folder.path()), "ab<eos>ab"), ElementsAre(262, 1, 260, 1));
  EXPECT_THAT(load_tokenizer(folder.path())->encode_pair("ab", "ab", 0).type_ids,
              ElementsAre(0, 0, 1, 1));
  write_text(
      folder / "tokenizer_config.json",
      R"({"tokenizer_class": "LlamaTokenizer", "bos_token": "<bos>", "eos_token": "<eos>", "add_bos_token": true, "legacy": true})");
  EXPECT_THAT(ids(*load_tokenizer(folder.path()), "ab<eos>ab"), ElementsAre(2, 262, 1, 262));
}

TEST(SentencePieceFiles, BadModelsOfBpe) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "GemmaTokenizer"})");
  const auto refused = [&](const SentencePieceBytes& bytes, Status status,
                           const std::string& message) {
    write_text(folder / "tokenizer.model", bytes.bytes());
    expect_error(status, message, [&] { load_tokenizer(folder.path()); });
  };
  refused(fairseq(), Status::kUnsupported, "of type 1; GemmaTokenizer takes 2, BPE");
  refused(merged().charsmap("abc"), Status::kUnsupported, "the model maps characters");
  refused(merged().piece(std::string(1025, 'x'), 0, 1), Status::kLimit, "a piece of 1025 bytes");
  refused(merged().piece("ab", 0, 1), Status::kFormat, "stands twice");
  SentencePieceBytes cube = merged();
  for (size_t length = 2; length <= 1000; ++length) cube.piece(std::string(length, 'a'), 0, 1);
  refused(cube, Status::kLimit, "the merges of its pieces take more than 67108864 bytes");
  SentencePieceBytes few;
  few.piece("<eos>", 0, 3).piece("<bos>", 0, 3).piece("<unk>", 0, 2).piece("<0x00>", 0, 6);
  refused(few.trainer(2, true, 2), Status::kUnsupported, "no piece is <0x01>");
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
  refused(Status::kFormat, "stands twice");
  write_text(folder / "spiece.model", fairseq().charsmap("abc").bytes());
  refused(Status::kFormat, "no map of characters");
}

}  // namespace
}  // namespace contrastive::io
