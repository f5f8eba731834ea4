#include "core/text/byte_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/rng.h"
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

using testing::ElementsAre;

// All bytes, then the results of the merges, in order.
TokenList byte_vocabulary(const ByteBpe::Merges& merges) {
  TokenList list;
  for (const std::string& character : byte_characters())
    list.emplace_back(character, static_cast<int32_t>(list.size()));
  for (const auto& [left, right] : merges)
    list.emplace_back(left + right, static_cast<int32_t>(list.size()));
  return list;
}

std::vector<int32_t> ids(const ByteBpe& model, std::string_view piece) {
  std::vector<ByteBpe::Part> buffer;
  const ByteBpe::Parts parts = model.merge(piece, buffer);
  std::vector<int32_t> out;
  size_t bytes = 0;
  for (size_t i = 0; i < parts.size; ++i) {
    out.push_back(parts.data[i].id);
    bytes += parts.data[i].length;
  }
  EXPECT_EQ(bytes, piece.size());
  return out;
}

TEST(ByteCharacters, AreGpt2sTable) {
  EXPECT_EQ(byte_characters()['a'], "a");
  EXPECT_EQ(byte_characters()[' '], "Ġ");
  EXPECT_EQ(byte_characters()['\n'], "Ċ");
  EXPECT_EQ(byte_characters()[0], "Ā");
  EXPECT_EQ(byte_characters()[0xAD], "Ń");
  EXPECT_EQ(byte_characters()[0xE9], "é");
}

TEST(ByteBpe, MergesTheFirstLearntPairFirst) {
  const ByteBpe::Merges merges{{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"ab", "ab"}};
  const Vocabulary vocabulary(byte_vocabulary(merges), "v");
  const ByteBpe model(vocabulary, merges, {}, "v");
  EXPECT_THAT(ids(model, "abc"), ElementsAre(258));
  EXPECT_THAT(ids(model, "abab"), ElementsAre(259));
  EXPECT_THAT(ids(model, "ababab"), ElementsAre(259, 257));
  EXPECT_THAT(ids(model, "aabbcc"), ElementsAre('a', 257, 256, 'c'));
  EXPECT_THAT(ids(model, "\xFF"), ElementsAre(255));
  EXPECT_TRUE(ids(model, "").empty());
}

// The definition: repeatedly merges the pair of lowest rank, the leftmost if there are several.
std::vector<int32_t> by_definition(const Vocabulary& vocabulary, const ByteBpe::Merges& merges,
                                   std::string_view piece) {
  std::vector<std::string> tokens;
  for (const char byte : piece)
    tokens.push_back(byte_characters()[static_cast<unsigned char>(byte)]);
  for (const auto& [left, right] : merges) {
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] != left || tokens[i + 1] != right) continue;
      tokens[i] += tokens[i + 1];
      tokens.erase(tokens.begin() + i + 1);
    }
  }
  std::vector<int32_t> out;
  for (const std::string& token : tokens) out.push_back(vocabulary.id(token));
  return out;
}

TEST(ByteBpe, AgreesWithTheDefinition) {
  // As after training, one pair makes each token, and each pair has only earlier tokens.
  const ByteBpe::Merges merges{{"a", "b"},   {"c", "a"},  {"ab", "c"},  {"b", "b"},  {"Ġ", "a"},
                               {"ca", "ca"}, {"Ġ", "ab"}, {"bb", "bb"}, {"Ġab", "c"}};
  const Vocabulary vocabulary(byte_vocabulary(merges), "v");
  const ByteBpe model(vocabulary, merges, {}, "v");
  for (uint64_t example = 0; example < 5000; ++example) {
    Rng rng(3, Purpose::kSubset, 0, example);
    std::string piece;
    for (uint64_t i = rng.below(70); i > 0; --i) piece += "abc "[rng.below(4)];
    ASSERT_EQ(ids(model, piece), by_definition(vocabulary, merges, piece)) << "'" << piece << "'";
    ASSERT_EQ(ids(model, piece), by_definition(vocabulary, merges, piece))
        << "remembered: '" << piece << "'";
  }
}

TEST(ByteBpe, AMillionEqualLettersTakeNoQuadraticTime) {
  const ByteBpe::Merges merges{{"a", "a"}, {"aa", "aa"}, {"aaaa", "aaaa"}};
  const Vocabulary vocabulary(byte_vocabulary(merges), "v");
  const ByteBpe model(vocabulary, merges, {}, "v");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ids(model, std::string(1000000, 'a')).size(), 125000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(20));  // quadratic: hours
}

TEST(ByteBpe, BytesThatTheVocabularyLacks) {
  const Vocabulary without({{"a", 0}, {"b", 1}}, "v");
  std::vector<ByteBpe::Part> buffer;
  EXPECT_EQ(ByteBpe(without, {}, {}, "v").merge("axxb", buffer).size, 2u);  // dropped
  const Vocabulary vocabulary({{"a", 0}, {"b", 1}, {"<unk>", 2}}, "v");
  ByteBpeOptions options;
  options.unknown_token = "<unk>";
  EXPECT_THAT(ids(ByteBpe(vocabulary, {}, options, "v"), "axxb"), ElementsAre(0, 2, 2, 1));
  options.fuse_unknown = true;
  EXPECT_THAT(ids(ByteBpe(vocabulary, {}, options, "v"), "axxbx"), ElementsAre(0, 2, 1, 2));
  options.unknown_token = "<none>";
  expect_error(Status::kFormat, "nor the unknown token <none>",
               [&] { ByteBpe(vocabulary, {}, options, "v"); });
}

TEST(ByteBpe, AMergeOfUnknownTokensIsNamed) {
  const Vocabulary vocabulary(byte_vocabulary({{"a", "b"}}), "v");
  expect_error(Status::kFormat, "merge 2: 'a' and 'c' cannot be merged: the vocabulary lacks 'ac'",
               [&] { ByteBpe(vocabulary, {{"a", "b"}, {"a", "c"}}, {}, "v"); });
  ByteBpeOptions options;
  options.first_line = 2;
  expect_error(Status::kFormat, "v: line 2: 'zz' and 'c'",
               [&] { ByteBpe(vocabulary, {{"zz", "c"}}, options, "v"); });
}

TEST(ByteBpe, ThreadsShareWhatIsRemembered) {
  const ByteBpe::Merges merges{{"a", "b"}, {"c", "a"}};
  const Vocabulary vocabulary(byte_vocabulary(merges), "v");
  const ByteBpe model(vocabulary, merges, {}, "v");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 20000; ++i) {
        Rng rng(5, Purpose::kSubset, 0, i % 3000);
        std::string piece;
        for (uint64_t n = 1 + rng.below(8); n > 0; --n) piece += "abc"[rng.below(3)];
        std::vector<ByteBpe::Part> buffer;
        const ByteBpe::Parts parts = model.merge(piece, buffer);
        size_t bytes = 0;
        for (size_t k = 0; k < parts.size; ++k) bytes += parts.data[k].length;
        count += bytes != piece.size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

}  // namespace
}  // namespace contrastive::text
