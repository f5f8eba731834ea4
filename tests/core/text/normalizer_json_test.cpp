#include "core/text/normalizer_json.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

std::string normalized(const std::string& json, const std::string& text) {
  NormalizedText out;
  NormalizerChain(read_normalizer(parse_json(json, "n"), "n")).normalize(text, 0, false, out);
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
  const auto nested = [](int depth) {
    std::string begin, end;
    for (int i = 0; i < depth; ++i) {
      begin += R"({"type": "Sequence", "normalizers": [)";
      end += "]}";
    }
    return begin + R"({"type": "NFC"})" + end;
  };
  EXPECT_EQ(normalized(nested(20), "e\u0301"), "é");
  expect_normalizer_refused(nested(100020), Status::kLimit, "nested deeper");
}

Json doubling(int stages) {
  Json all = Json::array();
  for (int i = 0; i < stages; ++i)
    all.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  return {{"type", "Sequence"}, {"normalizers", all}};
}

TEST(NormalizerJson, StagesThatDoubleATextAreStopped) {
  const NormalizerChain chain(read_normalizer(doubling(40), "normalizer"));
  NormalizedText out;
  expect_error(Status::kLimit, "more than 64 times as much of a text of 30 bytes",
               [&] { chain.normalize(std::string(30, 'a'), 0, true, out); });
  chain.normalize("no such letter", 0, true, out);
  EXPECT_EQ(out.bytes.find("aa"), std::string_view::npos);
  expect_error(Status::kLimit, "65 stages, above the limit of 64",
               [] { read_normalizer(doubling(65), "normalizer"); });
}

TEST(NormalizerJson, WhatIsPutInIsShort) {
  for (const Json& stage : {Json({{"type", "Replace"},
                                  {"pattern", {{"String", "a"}}},
                                  {"content", std::string(2000, 'b')}}),
                            Json({{"type", "Prepend"}, {"prepend", std::string(2000, 'b')}}),
                            Json({{"type", "Append"}, {"append", std::string(2000, 'b')}})}) {
    expect_error(Status::kLimit, "2000 bytes, above the limit of 1024",
                 [&] { read_normalizer(stage, "normalizer"); });
  }
}

}  // namespace
}  // namespace contrastive::text
