#include "core/io/pre_tokenizer_json.h"

#include "tests/core/io/files.h"
#include "tests/core/io/json_ids.h"

namespace contrastive::io {
namespace {

using test::expect_error;
using test::write_text;
using testing::ElementsAre;

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

TEST(PreTokenizerJson, ScriptsLengthsAndDelimiters) {
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

TEST(TokenizerLimits, BytesAreWrittenAsCharactersOnce) {
  const Json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  expect_error(Status::kUnsupported, "ByteLevel stands twice", [&] {
    read_pre_tokenizer({{"type", "Sequence"}, {"pretokenizers", {byte_level, byte_level}}},
                       "pre_tokenizer");
  });
}

}  // namespace
}  // namespace contrastive::io
