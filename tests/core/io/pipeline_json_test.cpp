// tokenizer.json of other pipelines than BERT's and RoBERTa's: which normalizers, pre-tokenizers
// and models are supported, and which are refused.
#include "core/io/normalizer_json.h"
#include "core/io/pre_tokenizer_json.h"
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"

namespace contrastive::io {
namespace {

using test::expect_error;
using test::write_text;
using testing::ElementsAre;

std::string normalized(const std::string& json, const std::string& text) {
  text::NormalizedText out;
  text::NormalizerChain(read_normalizer(parse_json(json, "n"), "n")).normalize(text, 0, false, out);
  return std::string(out.bytes);
}

void expect_normalizer_refused(const std::string& json, Status status, const std::string& message) {
  expect_error(status, message, [&] { read_normalizer(parse_json(json, "n"), "n"); });
}

TEST(NormalizerJson, EveryKind) {
  EXPECT_EQ(normalized(R"({"type": "NFKC"})", "ﬁ"), "fi");
  EXPECT_EQ(normalized(R"({"type": "NFKD"})", "é①"), "e\u03011");
  EXPECT_EQ(normalized(R"({"type": "Nmt"})", "a\tb\u200B\x01"), "a b ");
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"String": "."}, "content": ","})", "a.b"),
            "a,b");
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": "x"})",
                       "abcba"),
            "xcx");
  EXPECT_EQ(normalized(R"({"type": "ByteLevel"})", "a é\n"), "aĠÃ©Ċ");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "_"})", "a"), "_a");
  EXPECT_EQ(normalized(R"({"type": "Append", "append": "_"})", "a"), "a_");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " a "),
            "a ");
  EXPECT_EQ(
      normalized(
          R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "NFC"}, {"type": "Lowercase"}]})",
          "É"),
      "e");
  EXPECT_EQ(normalized(R"({"type": "Sequence", "normalizers": []})", "É"), "É");
}

TEST(NormalizerJson, NamesThePartAndItsPlace) {
  expect_normalizer_refused(
      R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "Reverse"}]}]})",
      Status::kUnsupported, "n.normalizers[1].normalizers[0] is of type Reverse");
  expect_normalizer_refused(R"({"type": "Replace", "pattern": {"Regex": "("}, "content": ""})",
                            Status::kFormat, "n.pattern: not a regular expression");
  expect_normalizer_refused(R"({"type": "Replace", "pattern": {"String": ""}, "content": ""})",
                            Status::kUnsupported, "n.pattern is empty");
  expect_normalizer_refused(R"({"type": "Precompiled", "precompiled_charsmap": "!!!!"})",
                            Status::kFormat, "n: precompiled_charsmap: character 0");
  expect_normalizer_refused(R"({"type": "Precompiled", "precompiled_charsmap": "AQAAAA=="})",
                            Status::kFormat, "a trie of 1 bytes in a map of 4");
  expect_normalizer_refused(R"({"type": "Sequence", "normalizers": 7})", Status::kFormat,
                            "normalizers must be a list");
}

// A sequence inside of a sequence and so on: the depth of JSON is limited.
TEST(NormalizerJson, VeryDeepSequencesAreALimit) {
  std::string json = R"({"type": "NFC"})";
  for (int i = 0; i < 20; ++i) json = R"({"type": "Sequence", "normalizers": [)" + json + "]}";
  EXPECT_EQ(normalized(json, "e\u0301"), "é");
  for (int i = 0; i < 100000; ++i) json = R"({"type": "Sequence", "normalizers": [)" + json + "]}";
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json",
             R"({"model": {"type": "WordLevel", "vocab": {"<unk>": 0}}, "normalizer": )" + json +
                 "}");
  expect_error(Status::kLimit, "nested deeper", [&] { load_tokenizer(folder.path()); });
}

void expect_pre_tokenizer_refused(const std::string& json, Status status,
                                  const std::string& message) {
  expect_error(status, message, [&] { read_pre_tokenizer(parse_json(json, "p"), "p"); });
}

TEST(PreTokenizerJson, NamesThePartAndItsPlace) {
  expect_pre_tokenizer_refused(
      R"({"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, {"type": "Reverse"}]})",
      Status::kUnsupported, "p.pretokenizers[1] is of type Reverse");
  expect_pre_tokenizer_refused(R"({"type": "FixedLength", "length": 0})", Status::kFormat,
                               "length");
  expect_pre_tokenizer_refused(R"({"type": "CharDelimiterSplit", "delimiter": "ab"})",
                               Status::kFormat, "delimiter must be one character");
  expect_pre_tokenizer_refused(
      R"({"type": "Split", "pattern": {"String": " "}, "behavior": "Isolate"})",
      Status::kUnsupported, "Isolated");
  expect_pre_tokenizer_refused(R"({"type": "Split", "pattern": {"String": " "}})", Status::kFormat,
                               "'behavior' is missing");
  expect_pre_tokenizer_refused(R"({"type": "Metaspace", "replacement": "ab"})", Status::kFormat,
                               "replacement must be one character");
  expect_pre_tokenizer_refused(R"({"type": "Metaspace", "replacement": ""})", Status::kFormat,
                               "replacement must be one character");
  expect_pre_tokenizer_refused(R"({"type": "Metaspace", "prepend_scheme": "last"})",
                               Status::kUnsupported, "last");
  expect_pre_tokenizer_refused(
      R"({"type": "Metaspace", "add_prefix_space": false, "prepend_scheme": "always"})",
      Status::kFormat, "add_prefix_space is false");
  EXPECT_EQ(read_pre_tokenizer(parse_json(R"({"type": "Sequence", "pretokenizers": []})", "p"), "p")
                .size(),
            0u);
  EXPECT_EQ(read_pre_tokenizer(
                parse_json(R"({"type": "Metaspace", "str_rep": "_", "add_prefix_space": false})",
                           "p"),
                "p")
                .size(),
            1u);
}

std::vector<int32_t> ids(const TemporaryFolder& folder, const std::string& json,
                         std::string_view text) {
  write_text(folder / "tokenizer.json", json);
  return load_tokenizer(folder.path())->encode(text, 0).ids;
}

TEST(PreTokenizerJson, ScriptsLengthsAndDelimiters) {
  const TemporaryFolder folder;
  const auto cut = [&](const std::string& pre_tokenizer, std::string_view text) {
    return ids(
        folder,
        R"({"model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "ab": 1, "の中": 2, "c": 3, "abc": 4}}, "pre_tokenizer": )" +
            pre_tokenizer + "}",
        text);
  };
  EXPECT_THAT(cut(R"({"type": "UnicodeScripts"})", "abの中"), ElementsAre(1, 2));
  EXPECT_THAT(cut(R"({"type": "FixedLength", "length": 2})", "abの中c"), ElementsAre(1, 2, 3));
  EXPECT_THAT(cut(R"({"type": "FixedLength"})", "abの中c"), ElementsAre(0));  // five
  EXPECT_THAT(cut(R"({"type": "CharDelimiterSplit", "delimiter": "é"})", "abéabcéé"),
              ElementsAre(1, 4));
}

// Old files do not name the type of their model.
TEST(ModelJson, TheTypeIsSeenFromTheKeys) {
  const TemporaryFolder folder;
  EXPECT_THAT(ids(folder,
                  R"({"model": {"unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -1.5]]}})",
                  "abx"),
              ElementsAre(1, 2, 0));
  EXPECT_THAT(ids(folder, R"({"model": {"merges": ["a b"], "vocab": {"a": 0, "b": 1, "ab": 2}}})",
                  "abb"),
              ElementsAre(2, 1));
  EXPECT_THAT(ids(folder, R"({"model": {"unk_token": "u", "vocab": {"a b": 0, "u": 1}}})", "a b"),
              ElementsAre(0));
  EXPECT_THAT(
      ids(folder,
          R"({"model": {"max_input_chars_per_word": 9, "unk_token": "u", "vocab": {"a": 0, "##b": 1, "u": 2}}})",
          "ab"),
      ElementsAre(0, 1));
}

TEST(ModelJson, BadUnigramVocabularies) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& model, const std::string& message) {
    write_text(folder / "tokenizer.json", R"({"model": )" + model + "}");
    expect_error(Status::kFormat, message, [&] { load_tokenizer(folder.path()); });
  };
  refused(R"({"type": "Unigram", "vocab": [["a", 0]]})", "needs a token for unknown characters");
  refused(R"({"type": "Unigram", "unk_id": 1, "vocab": [["a", 0]]})",
          "needs a token for unknown characters");
  refused(R"({"type": "Unigram", "unk_id": -1, "vocab": [["a", 0]]})", "unk_id");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": []})", "");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": {"a": 0}})", "vocab must be a list");
  refused(R"({"type": "BPE", "merges": [], "vocab": [["a", 0]]})", "vocab must be an object");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", null]]})",
          "item 0 of the vocabulary is not a token and a number");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["b"]]})",
          "item 1 of the vocabulary");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], {"b": 1}]})", "");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["a", 1]]})", "stands twice");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 1e999]]})", "");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", NaN]]})", "not valid JSON");
}

}  // namespace
}  // namespace contrastive::io
