#include "core/io/tokenizer_files.h"

#include <chrono>

#include "core/io/tokenizer_json.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::expect_refused;
using test::fuzz;
using test::ids;
using test::kBert;
using test::kFixtures;
using test::kVocab;
using test::write_text;
using testing::ElementsAre;

TEST(TokenizerFiles, VocabTxtWithItsOptions) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", kVocab);
  EXPECT_THAT(ids(folder.path(), "The cats"), ElementsAre(2, 5, 6, 7, 3));
  EXPECT_THAT(ids(folder.path(), "café [MASK]"),
              ElementsAre(2, 1, 4, 3));  // accents are removed with the case
  write_text(
      folder / "tokenizer_config.json",
      R"({"do_lower_case": false, "model_max_length": 40, "mask_token": {"content": "cat"}})");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_THAT(tokenizer->encode("The café", 0).ids, ElementsAre(2, 1, 8, 3));
  EXPECT_EQ(tokenizer->model_max_length(), 40);
  EXPECT_EQ(tokenizer->special_ids().mask, 6);
  write_text(folder / "tokenizer_config.json",
             R"({"strip_accents": false, "model_max_length": 1000000000000000019884624838656})");
  EXPECT_THAT(ids(folder.path(), "CAFÉ"), ElementsAre(2, 8, 3));
  EXPECT_EQ(load_tokenizer(folder.path())->model_max_length(), 0);
}

TEST(TokenizerFiles, VocabTxtOfWindowsAndWithoutTheLastLineEnd) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\nthe");
  EXPECT_THAT(ids(folder.path(), "the"), ElementsAre(2, 4, 3));
  EXPECT_EQ(load_tokenizer(folder.path())->special_ids().mask,
            -1);  // the methods that need it report the error
}

TEST(TokenizerFiles, BadVocabTxt) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", "");
  expect_refused(folder, Status::kFormat, "the file is empty");
  write_text(folder / "vocab.txt", std::string(kVocab) + "the\n");
  expect_refused(folder, Status::kFormat, "line 10 repeats the token 'the' of line 6");
  write_text(folder / "vocab.txt", std::string(kVocab) + "a\xFF\n");
  expect_refused(folder, Status::kFormat, "line 10 is not UTF-8");
  for (const std::string token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) {
    std::string text = kVocab;
    write_text(folder / "vocab.txt", text.replace(text.find(token), token.size(), "x"));
    expect_refused(folder, Status::kFormat, "tokens is " + token);
  }
  std::filesystem::resize_file(folder / "vocab.txt",
                               int64_t{1}
                                   << 31);  // sparse: the size is checked before anything is read
  expect_refused(folder, Status::kLimit, "above the limit");
}

TEST(TokenizerFiles, ByteLevelFiles) {
  const TemporaryFolder folder;
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
  expect_refused(folder, Status::kNotFound, "merges.txt: missing");
  std::filesystem::copy(kFixtures + "byte_bpe.merges.txt", folder / "merges.txt");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->kind(), "byte-bpe");
  EXPECT_EQ(tokenizer->special_ids().cls, tokenizer->id("<s>"));
  EXPECT_EQ(tokenizer->encode("a <mask>", 0).ids[3], tokenizer->special_ids().mask);
  write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  expect_refused(folder, Status::kUnsupported, "GPT2Tokenizer");
}

TEST(TokenizerFiles, MergesWithoutTheirVersionAndFilesWithAByteOrderMark) {
  const TemporaryFolder folder, words;
  const std::string mark = "\xEF\xBB\xBF",
                    merges = test::read_text(kFixtures + "byte_bpe.merges.txt");
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
  write_text(folder / "merges.txt", merges);
  const std::string text = "The cats' café";
  const std::vector<int32_t> expected = ids(folder.path(), text);
  for (const std::string& changed :
       {merges.substr(merges.find('\n') + 1), mark + merges, merges + "#version: 0.2\n"}) {
    write_text(folder / "merges.txt", changed);
    EXPECT_EQ(ids(folder.path(), text), expected);
  }
  write_text(words / "vocab.txt", mark + kVocab);
  EXPECT_THAT(ids(words.path(), "the [PAD]"), ElementsAre(2, 5, 0, 3));
}

TEST(TokenizerFiles, StaticEmbeddingsObeyTheTruncationOfTheirTokenizer) {
  const auto with = [](const std::string& truncation) {
    return std::string(kBert).insert(1, "\"truncation\": " + truncation + ", ");
  };
  const auto made = [&](const std::string& truncation, bool model2vec) {
    return static_tokenizer(with(truncation), "here", model2vec, text::InvalidUtf8::kReplace);
  };
  const auto left =
      made(R"({"direction": "Left", "max_length": 2, "strategy": "LongestFirst", "stride": 0})",
           false);
  EXPECT_EQ(left->model_max_length(), 2);
  EXPECT_THAT(left->encode("the cats", 2).ids, ElementsAre(4, 5));
  EXPECT_EQ(made("null", false)->model_max_length(), 0);
  EXPECT_THAT(made(R"({"direction": "Left", "max_length": 2})", true)->encode("the cats", 2).ids,
              ElementsAre(3, 4));
  expect_error(Status::kUnsupported, "OnlySecond cuts no single text",
               [&] { made(R"({"strategy": "OnlySecond", "max_length": 2})", false); });
}

TEST(TokenizerFiles, BadMerges) {
  const TemporaryFolder folder;
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
  const std::string longest(5000, 'x');
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"#version: 0.2\nab\n", "line 2"},
           {"e r\nqqq zzz\n", "line 2: 'qqq' and 'zzz' cannot be merged"},
           {"#version: 0.2\ne r\n\ni n\n", "line 3"},
           {"#version: 0.2\ne r\ni n x\n", "line 3"},
           {"#version: 0.2\nqqq zzz\n", "line 2: 'qqq' and 'zzz' cannot be merged"},
           {"#version: 0.2\n" + longest + " " + longest + "\n", "cannot be merged"},
           {"#version: 0.2\n\xFF a\n", "line 2 is not UTF-8"}}) {
    write_text(folder / "merges.txt", text);
    expect_refused(folder, Status::kFormat, message);
  }
}

TEST(TokenizerFiles, TokenizerJsonComesFirst) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", "nonsense");
  write_text(folder / "tokenizer.json", kBert);
  EXPECT_THAT(ids(folder.path(), "The cats"), ElementsAre(2, 3, 4, 5));
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_THAT(tokenizer->encode_pair("the", "cat", 0).type_ids, ElementsAre(0, 1));
  EXPECT_EQ(tokenizer->special_ids().sep, -1);
}

TEST(TokenizerFiles, MoreEntriesThanAVocabularyMayHave) {
  constexpr int64_t kLines = 10'000'000;
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryFolder folder, words;
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
  std::string text = "#version: 0.2\n";
  for (int64_t i = 0; i < kLines; ++i) text += "e r\n";
  write_text(folder / "merges.txt", text);
  expect_refused(folder, Status::kLimit, "merges.txt: 10000001 lines, above the limit of 8388608");
  write_text(words / "vocab.txt", std::string(static_cast<size_t>(kLines), '\n'));
  expect_refused(words, Status::kLimit, "vocab.txt: 10000000 lines, above the limit of 8388608");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(TokenizerFiles, MalformedTextIsRefusedWhereAsked) {
  const TemporaryFolder words, json, bytes;
  write_text(words / "vocab.txt", kVocab);
  write_text(json / "tokenizer.json", kBert);
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", bytes / "vocab.json");
  std::filesystem::copy(kFixtures + "byte_bpe.merges.txt", bytes / "merges.txt");
  for (const TemporaryFolder* folder : {&words, &json, &bytes}) {
    const auto strict = load_tokenizer(folder->path(), text::InvalidUtf8::kError);
    expect_error(Status::kFormat, "at byte 4", [&] { strict->encode("the \xED\xA0\x80", 0); });
    EXPECT_EQ(strict->encode("the café", 0).ids,
              load_tokenizer(folder->path())->encode("the café", 0).ids);
    EXPECT_NO_THROW(load_tokenizer(folder->path())->encode("the \xED\xA0\x80", 0));
  }
}

TEST(TokenizerFiles, DamagedVocabTxtOnlyThrowsErrors) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", kVocab);
  write_text(
      folder / "tokenizer_config.json",
      R"({"do_lower_case": true, "model_max_length": 512, "unk_token": {"content": "[UNK]"}})");
  write_text(folder / "added_tokens.json", R"({"<a>": 9})");
  fuzz({"vocab.txt", "tokenizer_config.json", "added_tokens.json"}, folder, 2000);
}

TEST(TokenizerFiles, DamagedByteLevelFilesOnlyThrowErrors) {
  const TemporaryFolder folder;
  std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
  std::filesystem::copy(kFixtures + "byte_bpe.merges.txt", folder / "merges.txt");
  fuzz({"vocab.json", "merges.txt"}, folder, 400);
}

// As model2vec's _get_unk_token_id has it.
// transformers asks model_input_names, then the class, then config.json; the template is asked
// last.
TEST(TokenizerFiles, TheEncoderIsHandedTheTypesThatTransformersHandsIt) {
  const auto last_type = [](const char* tokenizer, const char* model) {
    const TemporaryFolder folder;
    write_text(folder / "tokenizer.json", kBert);
    write_text(folder / "tokenizer_config.json", tokenizer);
    write_text(folder / "config.json", model);
    text::TokenBatch batch;
    load_tokenizer(folder.path())->append_pair("the", "cat", 0, batch);
    return batch.type_ids.back();
  };
  EXPECT_EQ(last_type("{}", "{}"), 1);
  EXPECT_EQ(last_type("{}", R"({"model_type": "bert"})"), 1);
  EXPECT_EQ(last_type("{}", R"({"model_type": "albert"})"), 0);
  EXPECT_EQ(last_type("{}",
                      R"({"model_type": "bert", "tokenizer_class": "PreTrainedTokenizerFast"})"),
            0);
  EXPECT_EQ(last_type(R"({"tokenizer_class": "BertTokenizerFast"})", R"({"model_type": "albert"})"),
            1);
  EXPECT_EQ(last_type(R"({"tokenizer_class": "DPRContextEncoderTokenizer"})", "{}"), 1);
  EXPECT_EQ(last_type(R"({"tokenizer_class": "AlbertTokenizer"})", "{}"), 0);
  EXPECT_EQ(
      last_type(
          R"({"tokenizer_class": "AlbertTokenizer", "model_input_names": ["input_ids", "token_type_ids"]})",
          "{}"),
      1);
  EXPECT_EQ(last_type(R"({"tokenizer_class": "BertTokenizer", "model_input_names": ["input_ids"]})",
                      "{}"),
            0);
}

TEST(TokenizerFiles, AModelNamesItsUnknownToken) {
  const std::string words =
      R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordLevel",
    "unk_token": "NOTHING", "vocab": {"the": 0, "NOTHING": 1, "[UNK]": 2, "cat": 3}}})";
  EXPECT_EQ(tokenizer_from_json(words, "here", {})->special_ids().unk, 1);
  EXPECT_THAT(static_tokenizer(words, "here", true, text::InvalidUtf8::kReplace)
                  ->encode("the old cat", 0)
                  .ids,
              testing::ElementsAre(0, 3));
  TokenizerSettings settings;
  settings.roles["unk_token"] = "[UNK]";
  EXPECT_EQ(tokenizer_from_json(words, "here", settings)->special_ids().unk, 2)
      << "tokenizer_config.json has priority";
  const std::string pieces =
      R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": null, "model": {"type": "Unigram", "unk_id": 1,
    "vocab": [["a", -1], ["NOTHING", 0], ["b", -2]]}})";
  EXPECT_EQ(tokenizer_from_json(pieces, "here", {})->special_ids().unk, 1);
}

}  // namespace
}  // namespace contrastive::io
