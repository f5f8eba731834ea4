#include "core/torch/augment/tokens/synonym_words.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/expect_error.h"

namespace contrastive::augment {
namespace {

std::string read(const std::string& json) {
  std::string all;
  parse_synonym_words(json, "s.json",
                      [&](const std::string& word, const std::vector<std::string>& synonyms) {
                        all += word + ":";
                        for (const std::string& synonym : synonyms) all += " " + synonym;
                        all += "\n";
                      });
  return all;
}

TEST(SynonymWords, ComeOneAfterTheOther) {
  EXPECT_EQ(read(R"({"big": ["large", "caf\u00e9"], "lone": [], "big": ["huge"]})"),
            "big: large caf\u00E9\nlone:\nbig: huge\n");
  EXPECT_EQ(read("{}"), "");
}

TEST(SynonymWords, AnotherFormIsRefusedByItsWord) {
  const auto refused = [](const std::string& json, const std::string& message) {
    expect_error(Status::kFormat, message, [&] { read(json); });
  };
  refused("[]", "s.json: a JSON object of words is needed");
  refused("7", "a JSON object of words is needed");
  refused(R"({"a": "b"})", "the synonyms of 'a' are not a list");
  refused(R"({"a": {"b": []}})", "the synonyms of 'a' are not a list");
  refused(R"({"a": ["b", 7]})", "a synonym of 'a' is not a text");
  refused(R"({"a": [["b"]]})", "a synonym of 'a' is not a text");
  refused(R"({"a": ["b")", "not valid JSON at byte");
  refused(R"({"a": []} {})", "not valid JSON");
  refused(std::string("{}\0", 3), "a NUL character");
}

TEST(SynonymWords, ADictionaryTakesLinearTime) {
  std::string json = "{";
  for (int i = 0; i < 200'000; ++i)
    json += (i == 0 ? "\"w" : ", \"w") + std::to_string(i) + "\": [\"x\"]";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(read(json + "}").compare(0, 6, "w0: x\n"), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace contrastive::augment
