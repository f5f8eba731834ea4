// Random sequences of pre-tokenizers and models, with long texts.
#include "core/text/piece_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "core/text/character_bpe.h"
#include "core/text/composition.h"
#include "core/text/replacement.h"
#include "core/text/unigram.h"
#include "core/text/word_level.h"

namespace contrastive::text {
namespace {

using testing::ElementsAre;
using Prepend = MetaspaceSplitter::Prepend;

struct Pipeline {
  std::string name;
  NormalizerChain::Stages stages;
  PieceTokenizer::Splitters splitters;
  bool unigram;
  bool trims = false;
};

std::vector<Pipeline> pipelines() {
  const auto metaspace = [](Prepend prepend) {
    return std::make_shared<MetaspaceSplitter>("▁", prepend, true);
  };
  const auto blanks = std::make_shared<Replacement>(literal_pattern(" "), "▁");
  const auto lower = std::make_shared<CharacterStage>(
      std::vector<NormalizerStep>{NormalizerStep::kDecomposeCompatibly,
                                  NormalizerStep::kLowerCase});
  const auto runs = std::make_shared<Replacement>(expression_pattern(" {2,}", "p"), " ");
  const auto row = std::make_shared<PatternSplitter>(
      expression_pattern(
          R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
          "p"),
      SplitBehavior::kIsolated, false);
  return {{"t5", {}, {whitespace_split(), metaspace(Prepend::kAlways)}, true},
          {"albert", {lower, runs}, {whitespace_split(), metaspace(Prepend::kAlways)}, true},
          {"first", {std::make_shared<Composition>(false)}, {metaspace(Prepend::kFirst)}, true},
          {"gemma",
           {blanks},
           {std::make_shared<PatternSplitter>(literal_pattern(" "),
                                              SplitBehavior::kMergedWithPrevious, false)},
           false},
          {"qwen",
           {std::make_shared<Composition>(false)},
           {row, std::make_shared<ByteLevelSplitter>(false, false)},
           false,
           true},
          {"words", {}, {std::make_shared<WordSplitter>(), digits_split(true)}, false}};
}

// The tokens "▁", "a", "b", "ab", "▁a", "é", ".", "Ġ" and the unknown one, and an added one.
std::unique_ptr<Tokenizer> make(const Pipeline& pipeline) {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  std::vector<double> scores;
  for (const char* token : {"<unk>", "▁", "a", "b", "ab", "▁a", "é", ".", "Ġ", "s", "Ġa", "▁ab"}) {
    scores.push_back(-1.0 - 0.37 * static_cast<double>(tokens.size()));
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  }
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  AddedToken added;
  added.content = "[M]";
  added.id = static_cast<int32_t>(tokens.size());
  added.lstrip = true;
  parts.added_tokens = {added};
  parts.stages = pipeline.stages;
  parts.post_processor.trim_offsets = pipeline.trims;
  std::shared_ptr<const PieceModel> model;
  if (pipeline.unigram) {
    model = std::make_shared<Unigram>(*parts.vocabulary, scores, UnigramOptions{0, false}, "test");
  } else {
    model =
        std::make_shared<CharacterBpe>(*parts.vocabulary,
                                       Bpe::Merges{{"▁", "a"}, {"a", "b"}, {"Ġ", "a"}, {"▁a", "b"}},
                                       CharacterBpeOptions{"<unk>", false, true, false}, "test");
  }
  return std::make_unique<PieceTokenizer>(std::move(parts), pipeline.splitters, std::move(model),
                                          "test");
}

// Two parts have the tokens of the texts that they consist of.
TEST(PieceTokenizer, PartsEndBeforeASpaceAndGiveTheTokensOfTheWhole) {
  std::mt19937_64 random(12);
  std::string first;
  while (first.size() < kLongestPart - 16)
    first +=
        std::vector<std::string>{"ab", "é\u0301", " a", "  b", ".a", "中", " [M]"}[random() % 7];
  first += "ab";
  const std::string second = " ab" + std::string(30, 'a') + " b";
  for (const Pipeline& pipeline : pipelines()) {
    SCOPED_TRACE(pipeline.name);
    const auto tokenizer = make(pipeline);
    const Encoding whole = tokenizer->encode(first + second, 0), a = tokenizer->encode(first, 0),
                   b = tokenizer->encode(second, 0);
    std::vector<int32_t> ids = a.ids;
    ids.insert(ids.end(), b.ids.begin(), b.ids.end());
    EXPECT_TRUE(whole.ids == ids);
    EXPECT_EQ(whole.ends.back(), static_cast<int64_t>(first.size() + second.size()));
  }
}

TEST(PieceTokenizer, SaysWhereTokensComeFrom) {
  const auto t5 = make(pipelines()[0]);
  const Encoding encoding = t5->encode(" ab  é[M]a", 0);
  EXPECT_THAT(encoding.ids, ElementsAre(1, 4, 1, 6, 12, 5));
  EXPECT_THAT(encoding.begins, ElementsAre(1, 1, 5, 5, 7, 10));
  EXPECT_THAT(encoding.ends, ElementsAre(2, 3, 7, 7, 10, 11));
}

TEST(PieceTokenizer, HugeTextsTakeLinearTime) {
  for (const Pipeline& pipeline : pipelines()) {
    const auto tokenizer = make(pipeline);
    for (const std::string unit : {"ab a. ", "a", " ", "中", "e\u0301", "[M", "▁", "\xFF"}) {
      SCOPED_TRACE(pipeline.name + ": " + unit);
      std::string text;
      while (text.size() < 2000000) text += unit;
      TokenBatch batch;
      const auto begin = std::chrono::steady_clock::now();
      tokenizer->append(text, 16, batch);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
      EXPECT_LE(batch.tokens(), 16);
    }
  }
}

}  // namespace
}  // namespace contrastive::text
