// A small tokenizer.json must not turn a text into a huge one.
#include "core/io/normalizer_json.h"
#include "core/io/pre_tokenizer_json.h"
#include "core/text/normalizer_chain.h"
#include "tests/core/io/files.h"

namespace contrastive::io {
namespace {

using test::expect_error;

Json doubling(int stages) {
  Json all = Json::array();
  for (int i = 0; i < stages; ++i)
    all.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  return {{"type", "Sequence"}, {"normalizers", all}};
}

TEST(TokenizerLimits, StagesThatDoubleATextAreStopped) {
  const text::NormalizerChain chain(read_normalizer(doubling(40), "normalizer"));
  text::NormalizedText out;
  expect_error(Status::kLimit, "more than 64 times as much of a text of 30 bytes",
               [&] { chain.normalize(std::string(30, 'a'), 0, true, out); });
  chain.normalize("no such letter", 0, true, out);
  EXPECT_EQ(out.bytes.find("aa"), std::string_view::npos);
  expect_error(Status::kLimit, "65 stages, above the limit of 64",
               [] { read_normalizer(doubling(65), "normalizer"); });
}

TEST(TokenizerLimits, WhatIsPutInIsShort) {
  for (const Json& stage : {Json({{"type", "Replace"},
                                  {"pattern", {{"String", "a"}}},
                                  {"content", std::string(2000, 'b')}}),
                            Json({{"type", "Prepend"}, {"prepend", std::string(2000, 'b')}}),
                            Json({{"type", "Append"}, {"append", std::string(2000, 'b')}})}) {
    expect_error(Status::kLimit, "2000 bytes, above the limit of 1024",
                 [&] { read_normalizer(stage, "normalizer"); });
  }
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
