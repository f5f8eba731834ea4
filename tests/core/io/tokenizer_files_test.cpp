#include "core/io/tokenizer_files.h"

#include <sys/stat.h>

#include <chrono>

#include "core/base/rng.h"
#include "core/io/tokenizer_json.h"
#include "tests/core/io/files.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using test::expect_error;
using test::write_text;
using testing::ElementsAre;

const std::string kFixtures = fixtures() + "/tokenizers/";
constexpr const char* kVocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\ncafé\n";
constexpr const char* kBert = R"({
  "added_tokens": [{"id": 2, "content": "[CLS]", "special": true, "normalized": false}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "the": 3, "cat": 4, "##s": 5}}})";

std::vector<int32_t> ids(const std::string& folder, const std::string& text) {
  return load_tokenizer(folder)->encode(text, 0).ids;
}

// Expects loading the folder to fail.
void expect_refused(const TemporaryFolder& folder, Status status, const std::string& message_part) {
  expect_error(status, message_part, [&] { load_tokenizer(folder.path()); });
}

// kBert with one part replaced.
void expect_json_refused(const std::string& from, const std::string& to, Status status,
                         const std::string& message_part) {
  const TemporaryFolder folder;
  std::string document = kBert;
  const size_t place = document.find(from);
  ASSERT_NE(place, std::string::npos) << from;
  write_text(folder / "tokenizer.json", document.replace(place, from.size(), to));
  expect_refused(folder, status, message_part);
}

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

TEST(TokenizerFiles, AddedTokensOfOldFolders) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", kVocab);
  write_text(folder / "added_tokens.json", R"({"<b>": 10, "<a>": 9})");
  EXPECT_THAT(ids(folder.path(), "the<b><A>"), ElementsAre(2, 5, 10, 9, 3));
  EXPECT_EQ(load_tokenizer(folder.path())->vocab_size(), 11);
  write_text(folder / "added_tokens.json", R"({"<b>": 12})");
  expect_refused(folder, Status::kFormat, "'<b>' states id 12, but by the vocabulary it is 9");
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

TEST(TokenizerFiles, BadTokenizerJson) {
  expect_json_refused("\"WordPiece\"", "\"Syllable\"", Status::kUnsupported,
                      "model is of type Syllable");
  expect_json_refused("\"WordPiece\"", "\"Unigram\"", Status::kFormat, "vocab must be a list");
  expect_json_refused("\"BertNormalizer\"", "\"Uppercase\"", Status::kUnsupported,
                      "normalizer is of type Uppercase");
  expect_json_refused("\"BertPreTokenizer\"", "\"NewSplitter\"", Status::kUnsupported,
                      "pre_tokenizer is of type NewSplitter");
  expect_json_refused("\"TemplateProcessing\"", "\"Other\"", Status::kUnsupported,
                      "post_processor is of type Other");
  expect_json_refused("\"the\": 3", "\"the\": -1", Status::kFormat, "'the' must be from 0");
  expect_json_refused("\"the\": 3", "\"the\": 2147483648", Status::kFormat, "'the' must be from 0");
  expect_json_refused("\"the\": 3", "\"the\": 2147483647", Status::kLimit, "too high");
  expect_json_refused("\"the\": 3", "\"cat\": 3", Status::kFormat, "'cat' stands twice");
  expect_json_refused("\"the\": 3", "\"the\": 4", Status::kFormat, "id 4 stands twice");
  expect_json_refused("\"[UNK]\": 1, ", "", Status::kFormat, "the vocabulary has no [UNK]");
  expect_json_refused("{\"id\": 2, \"content\": \"[CLS]\"", "{\"id\": 7, \"content\": \"[CLS]\"",
                      Status::kFormat, "states id 7");
  expect_json_refused("{\"id\": 2, \"content\": \"[CLS]\"", "{\"id\": -1, \"content\": \"[CLS]\"",
                      Status::kFormat, "id must be a whole number");
  expect_json_refused("{\"id\": 2, \"content\": \"[CLS]\"",
                      "{\"id\": 2147483648, \"content\": \"[CLS]\"", Status::kFormat,
                      "id must be a whole");
  expect_json_refused("\"ids\": [2]", "\"ids\": [6]", Status::kFormat, "the template has id 6");
  expect_json_refused("\"ids\": [2]", "\"ids\": [-2]", Status::kFormat, "ids must be from 0");
  expect_json_refused("{\"SpecialToken\": {\"id\": \"[CLS]\"",
                      "{\"SpecialToken\": {\"id\": \"[XYZ]\"", Status::kFormat,
                      "names the special token '[XYZ]'");
  expect_json_refused("{\"id\": \"B\"", "{\"id\": \"A\"", Status::kUnsupported,
                      "must have each text once");
  expect_json_refused("\"max_input_chars_per_word\": 100", "\"max_input_chars_per_word\": 1e9",
                      Status::kFormat, "max_input_chars_per_word");
  expect_json_refused("\"added_tokens\": [", "\"added_tokens\": [7, ", Status::kFormat,
                      "added_tokens[0]");
  expect_json_refused("\"model\"", "\"modell\"", Status::kFormat, "'model' is missing");
}

TEST(TokenizerFiles, PartsOfByteLevelBpeThatAreNotKnown) {
  const TemporaryFolder folder;
  std::string document = test::read_text(kFixtures + "byte_bpe.vocab.json");
  document =
      R"({"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", "merges": [], "vocab": )" +
      document + "}}";
  write_text(folder / "tokenizer.json", document);
  EXPECT_EQ(load_tokenizer(folder.path())->kind(), "byte-bpe");
  for (const std::string option : {"\"dropout\": 0.1", "\"continuing_subword_prefix\": \"##\"",
                                   "\"end_of_word_suffix\": \"</w>\""}) {
    std::string changed = document;
    write_text(folder / "tokenizer.json",
               changed.replace(changed.find("\"merges\": []"), 12, "\"merges\": [], " + option));
    expect_refused(folder, Status::kUnsupported, "is not known here");
  }
}

TEST(TokenizerFiles, ByteLevelBpeNeedsItsMerges) {
  const TemporaryFolder folder;
  const std::string vocab = test::read_text(kFixtures + "byte_bpe.vocab.json");
  const auto write = [&](const std::string& merges) {
    write_text(folder / "tokenizer.json",
               R"({"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", )" + merges +
                   R"("vocab": )" + vocab + "}}");
  };
  write("");
  expect_refused(folder, Status::kFormat, "merges");
  for (const char* merges : {"\"merges\": 7, ", "\"merges\": null, ",
                             "\"merges\": {\"a\": \"b c\"}, ", "\"merges\": \"a b\", "}) {
    write(merges);
    expect_refused(folder, Status::kFormat, "merges");
  }
}

TEST(TokenizerFiles, OversizedFilesAreRefusedUnread) {
  for (const char* name : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt",
                           "tokenizer_config.json", "special_tokens_map.json"}) {
    const TemporaryFolder folder;
    const bool bytes = std::string(name) == "vocab.json" || std::string(name) == "merges.txt";
    if (bytes) std::filesystem::copy(kFixtures + "byte_bpe.vocab.json", folder / "vocab.json");
    write_text(folder / (bytes ? "merges.txt" : "vocab.txt"), bytes ? "#version: 0.2\n" : kVocab);
    if (!std::filesystem::exists(folder / name)) write_text(folder / name, "{}");
    std::filesystem::resize_file(folder / name,
                                 int64_t{1}
                                     << 40);  // sparse: the size is checked before anything is read
    expect_refused(folder, Status::kLimit,
                   std::string(name) + ": 1099511627776 bytes, above the limit of");
  }
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

TEST(TokenizerFiles, FoldersThatAreNone) {
  const TemporaryFolder folder;
  expect_refused(folder, Status::kNotFound,
                 "tokenizer.json, vocab.txt, vocab.json with merges.txt, sentencepiece.bpe.model, "
                 "spiece.model or tokenizer.model is needed");
  expect_error(Status::kNotFound, "no such folder", [&] { load_tokenizer(folder / "absent"); });
  write_text(folder / "file", "x");
  expect_error(Status::kArgument, "not a folder", [&] { load_tokenizer(folder / "file"); });
  ASSERT_EQ(::mkfifo((folder / "tokenizer.json").c_str(), 0600), 0);
  expect_refused(folder, Status::kArgument, "not a regular file");  // and does not wait for a
                                                                    // writer
}

// Changes, drops, doubles or cuts bytes anywhere: loading must give a working tokenizer or an
// Error.
void fuzz(const std::vector<std::string>& files, const TemporaryFolder& folder, uint64_t rounds) {
  int refused = 0;
  std::vector<std::string> originals;
  for (const std::string& file : files) originals.push_back(test::read_text(folder / file));
  for (uint64_t round = 0; round < rounds; ++round) {
    Rng rng(9, Purpose::kSubset, files.size(), round);
    const size_t which = rng.below(files.size());
    std::string bytes = originals[which];
    for (uint64_t edits = 1 + rng.below(4); edits > 0 && !bytes.empty(); --edits) {
      const size_t at = rng.below(bytes.size()), length = 1 + rng.below(12);
      const uint64_t kind = rng.below(5);
      if (kind == 0) bytes[at] = static_cast<char>(rng.below(256));
      if (kind == 1) bytes.erase(at, length);
      if (kind == 2) bytes.insert(at, bytes.substr(rng.below(bytes.size()), length));
      if (kind == 3)
        bytes.insert(at, std::vector<std::string>{"\"", "{", "]", "-1", "99999999999", "null", "\n",
                                                  " ", "\xFF"}[rng.below(9)]);
      if (kind == 4 && rng.below(8) == 0) bytes.resize(at);
    }
    write_text(folder / files[which], bytes);
    try {
      load_tokenizer(folder.path())->encode("The cats' café 中文 <mask> [MASK]\xFF", 12);
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
      ++refused;
    }
    write_text(folder / files[which], originals[which]);
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, static_cast<int>(rounds));
}

TEST(TokenizerFiles, DamagedTokenizerJsonOnlyThrowsErrors) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", kBert);
  fuzz({"tokenizer.json"}, folder, 3000);
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
