// tokenizer.json of other pipelines than BERT's and RoBERTa's: what is read, and what is refused.
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::write_text;
using testing::ElementsAre;

std::vector<int32_t> ids(const TemporaryFolder& folder, const std::string& json,
                         std::string_view text) {
  write_text(folder / "tokenizer.json", json);
  return load_tokenizer(folder.path())->encode(text, 0).ids;
}

TEST(TokenizerJson, ScriptsLengthsAndDelimiters) {
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
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": []})", "vocab");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": {"a": 0}})", "vocab must be a list");
  refused(R"({"type": "BPE", "merges": [], "vocab": [["a", 0]]})", "vocab must be an object");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", null]]})",
          "item 0 of the vocabulary is not a token and a number");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["b"]]})",
          "item 1 of the vocabulary");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], {"b": 1}]})", "vocab");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["a", 1]]})", "stands twice");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 1e999]]})", "JSON");
  refused(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", NaN]]})", "not valid JSON");
}

}  // namespace
}  // namespace contrastive::io
