#include "core/text/pre_tokenizer_json.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

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

TEST(PreTokenizerJson, BytesAreWrittenAsCharactersOnce) {
  const Json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  expect_error(Status::kUnsupported, "ByteLevel appears twice", [&] {
    read_pre_tokenizer({{"type", "Sequence"}, {"pretokenizers", {byte_level, byte_level}}},
                       "pre_tokenizer");
  });
}

}  // namespace
}  // namespace contrastive::text
