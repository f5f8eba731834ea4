// tokenizer.json of other pipelines than BERT's and RoBERTa's: what is read, and what is refused.
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/core/io/tokenizer_folders.h"
#include "tests/expect_error.h"
#include "tests/core/io/json_ids.h"

namespace contrastive::io {
namespace {

using test::expect_refused;
using test::fuzz;
using test::kBert;
using test::kFixtures;
using test::write_text;
using testing::ElementsAre;

TEST(TokenizerJson, ScriptsLengthsAndDelimiters) {
  const TemporaryFolder folder;
  const auto cut = [&](const std::string& pre_tokenizer, std::string_view text) {
    return ids_by_json(
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
  EXPECT_THAT(
      ids_by_json(folder,
                  R"({"model": {"unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -1.5]]}})",
                  "abx"),
      ElementsAre(1, 2, 0));
  EXPECT_THAT(ids_by_json(folder,
                          R"({"model": {"merges": ["a b"], "vocab": {"a": 0, "b": 1, "ab": 2}}})",
                          "abb"),
              ElementsAre(2, 1));
  EXPECT_THAT(ids_by_json(folder, R"({"model": {"unk_token": "u", "vocab": {"a b": 0, "u": 1}}})",
                          "a b"),
              ElementsAre(0));
  EXPECT_THAT(
      ids_by_json(
          folder,
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
  refused(R"({"type": "Unigram", "unk_id": -1, "vocab": [["a", 0]]})",
          "unk_id must be a whole number");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": []})",
          "vocab must be a list of tokens and scores");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": {"a": 0}})", "vocab must be a list");
  refused(R"({"type": "BPE", "merges": [], "vocab": [["a", 0]]})", "vocab must be an object");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", null]]})",
          "item 0 of the vocabulary is not a token and a number");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["b"]]})",
          "item 1 of the vocabulary");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], {"b": 1}]})",
          "item 1 of the vocabulary");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["a", 1]]})", "appears twice");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 1e999]]})", "not valid JSON");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", NaN]]})", "not valid JSON");
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
  expect_json_refused("\"the\": 3", "\"cat\": 3", Status::kFormat, "'cat' appears twice");
  expect_json_refused("\"the\": 3", "\"the\": 4", Status::kFormat, "id 4 appears twice");
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
  for (const char* merges : {"", "\"merges\": null, "}) {
    write(merges);
    expect_refused(folder, Status::kFormat, "the key 'merges' is missing");
  }
  for (const char* merges :
       {"\"merges\": 7, ", "\"merges\": {\"a\": \"b c\"}, ", "\"merges\": \"a b\", "}) {
    write(merges);
    expect_refused(folder, Status::kFormat, "merges must be a list");
  }
}

TEST(TokenizerFiles, DamagedTokenizerJsonOnlyThrowsErrors) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", kBert);
  fuzz({"tokenizer.json"}, folder, 3000);
}

}  // namespace
}  // namespace contrastive::io
