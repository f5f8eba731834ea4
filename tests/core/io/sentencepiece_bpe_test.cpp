#include "core/io/sentencepiece_bpe.h"

#include "core/io/tokenizer_files.h"
#include "core/text/byte_tokens.h"
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
  refused(merged().piece("ab", 0, 1), Status::kFormat, "appears twice");
  SentencePieceBytes cube = merged();
  for (size_t length = 2; length <= 1000; ++length) cube.piece(std::string(length, 'a'), 0, 1);
  refused(cube, Status::kLimit, "the merges of its pieces take more than 67108864 bytes");
  SentencePieceBytes few;
  few.piece("<eos>", 0, 3).piece("<bos>", 0, 3).piece("<unk>", 0, 2).piece("<0x00>", 0, 6);
  refused(few.trainer(2, true, 2), Status::kUnsupported, "no piece is <0x01>");
}

}  // namespace
}  // namespace contrastive::io
