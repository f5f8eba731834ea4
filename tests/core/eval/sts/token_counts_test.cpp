#include "core/eval/sts/token_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/sentence_encoder.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

const text::Tokenizer& tokenizer() {
  static const auto model =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  return model->tokenizer();
}

std::vector<std::string> top(const TokenCounts& counts, int64_t most) {
  std::vector<std::string> tokens;
  for (const int32_t id : counts.top(most)) tokens.push_back(tokenizer().token(id));
  return tokens;
}

// tests/golden/eval/sts.py
TEST(TokenCounts, RanksAsCountedWithTransformers) {
  const Json& study = fixture("sts_golden.json")["study"];
  TokenCounts counts;
  for (const Json& pair : study["pairs"]) {
    for (size_t side : {1, 2}) counts.add(tokenizer(), pair[side].get<std::string>(), 0);
  }
  std::vector<int64_t> ids, numbers;
  for (const TokenCounts::Entry& entry : counts.ranked()) {
    ids.push_back(entry.id);
    numbers.push_back(entry.count);
  }
  EXPECT_EQ(ids, study["tokens"]["ids"].get<std::vector<int64_t>>());
  EXPECT_EQ(numbers, study["tokens"]["counts"].get<std::vector<int64_t>>());
}

TEST(TokenCounts, TopIsExactlyThatMany) {
  TokenCounts counts;
  counts.add(tokenizer(), "cat cat cat dog", 0);
  EXPECT_THAT(top(counts, 0), ElementsAre());
  EXPECT_THAT(top(counts, 1), ElementsAre("cat"));
  EXPECT_THAT(top(counts, 9), ElementsAre("cat", "[CLS]", "[SEP]", "dog")) << "equal counts by id";
  EXPECT_EQ(counts.tokens(), 6);
}

TEST(TokenCounts, CutTextsCountAsTheyAreRead) {
  TokenCounts counts;
  counts.add(tokenizer(), "cat dog dog dog", 3);
  EXPECT_EQ(counts.tokens(), 3);
}

TEST(TokenCounts, CountsWhereTheKeysSay) {
  const TemporaryFolder folder;
  const std::vector<StsSet> sets = {{"s", {{"x", {1, 2}, {"cat", "cat"}, {"dog", "cat"}, 0}}}};
  const auto first = [&](const TokenCountKeys& keys) {
    return top(keys.count(tokenizer(), 0, sets, nullptr), 3).back();
  };
  EXPECT_EQ(first({}), "cat") << "in the sentences themselves";
  EXPECT_EQ(first({folder.write("corpus.txt", "dog dog\n\ndog"), ""}), "[SEP]")
      << "three dogs, two of the others";
  EXPECT_EQ(top(TokenCountKeys{folder.path() + "/corpus.txt", ""}.count(tokenizer(), 0, sets,
                                                                        nullptr),
                1),
            std::vector<std::string>{"dog"});
  EXPECT_EQ(first({"", folder.write("pairs.tsv", "1\tbird\tbird bird\n")}), "[SEP]");
  expect_error(Status::kArgument, "counts.corpus and counts.pairs are both set",
               [&] { TokenCountKeys{"a", "b"}.count(tokenizer(), 0, sets, nullptr); });
  expect_error(Status::kFormat, "e.txt: no text in it", [&] {
    TokenCountKeys{folder.write("e.txt", "\n"), ""}.count(tokenizer(), 0, sets, nullptr);
  });
}

}  // namespace
}  // namespace contrastive::eval
