#include "core/io/vocabulary_json.h"

#include <chrono>

#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(VocabularyJson, TakesVocabularyAndMergesOut) {
  const VocabularyJson json = parse_tokenizer_json(
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "": 2, "vocab": 3}, "merges": ["a b", ["b", "vocab"]], "x": {"vocab": {"q": 1}}}, "vocab": 5})",
      "f");
  EXPECT_THAT(json.vocabulary,
              ElementsAre(Pair("a", 0), Pair("b", 1), Pair("", 2), Pair("vocab", 3)));
  EXPECT_THAT(json.merges, ElementsAre(Pair("a", "b"), Pair("b", "vocab")));
  EXPECT_EQ(json.rest.dump(),
            R"({"model":{"type":"BPE","vocab":{},"merges":[],"x":{"vocab":{"q":1}}},"vocab":5})");
}

TEST(VocabularyJson, ADocumentThatIsTheVocabulary) {
  EXPECT_THAT(parse_vocabulary_json(R"({"model": 0, "\u00e9": 7})", "f").vocabulary,
              ElementsAre(Pair("model", 0), Pair("é", 7)));
  expect_error(Status::kFormat, "a JSON object is needed",
               [] { parse_vocabulary_json("[1]", "f"); });
  expect_error(Status::kFormat, "the token 'a' needs a whole number",
               [] { parse_vocabulary_json(R"({"a": {"b": 1}})", "f"); });
}

TEST(VocabularyJson, IdsAreWholeNumbersInRange) {
  for (const char* id :
       {"-1", "2147483648", "4294967296", "18446744073709551615", "9223372036854775807"}) {
    expect_error(Status::kFormat, "must be from 0 to 2147483647",
                 [&] { parse_vocabulary_json("{\"a\": " + std::string(id) + "}", "f"); });
  }
  for (const char* id : {"1.5", "\"1\"", "null", "[1]", "true", "1e3"}) {
    expect_error(Status::kFormat, "needs a whole number",
                 [&] { parse_vocabulary_json("{\"a\": " + std::string(id) + "}", "f"); });
  }
}

TEST(VocabularyJson, RefusesWhatIsNotJson) {
  expect_error(Status::kFormat, "f: not valid JSON at byte",
               [] { parse_tokenizer_json("{\"a\": 1} trailing", "f"); });
  expect_error(Status::kFormat, "not valid JSON",
               [] { parse_tokenizer_json("// comment\n{}", "f"); });
  expect_error(Status::kFormat, "not valid JSON", [] { parse_tokenizer_json("", "f"); });
  expect_error(Status::kFormat, "not valid JSON",
               [] { parse_vocabulary_json("{\"\xFF\": 1}", "f"); });
  expect_error(Status::kFormat, "'type' appears twice",
               [] { parse_tokenizer_json(R"({"model": {"type": "A", "type": "B"}})", "f"); });
  expect_error(Status::kLimit, "nested deeper",
               [] { parse_tokenizer_json(std::string(100000, '['), "f"); });
  expect_error(Status::kLimit, "nested deeper", [] {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
    parse_tokenizer_json(deep, "f");
  });
  EXPECT_EQ(parse_tokenizer_json("\xEF\xBB\xBF{}", "f").rest.size(),
            0u);  // a byte order mark is accepted
}

TEST(VocabularyJson, MergesAreTwoTokens) {
  for (const char* merge : {"\"ab\"", "\"a b c\"", "\" a\"", "\"a \"", "\"\"", "[\"a\"]",
                            "[\"a\", 1]", "[\"a\", \"b\", \"c\"]", "7", "{}"}) {
    expect_error(Status::kFormat, "merge 1", [&] {
      parse_tokenizer_json("{\"model\": {\"merges\": [" + std::string(merge) + "]}}", "f");
    });
  }
}

TEST(VocabularyJson, AHundredThousandTokensAreReadAtOnce) {
  std::string document = "{";
  for (int i = 0; i < 100000; ++i)
    document += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + "\":" + std::to_string(i);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_vocabulary_json(document + "}", "f").vocabulary.size(), 100000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace contrastive::io
