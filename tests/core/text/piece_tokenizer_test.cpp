// Random sequences of pre-tokenizers and models, with long texts: piece by piece they give the same
// tokens as the whole text.
#include "core/text/piece_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "core/text/byte_bpe.h"
#include "core/text/character_bpe.h"
#include "core/text/composition.h"
#include "core/text/replacement.h"
#include "core/text/unigram.h"
#include "core/text/word_level.h"

namespace contrastive::text {
namespace {

using testing::ElementsAre;
using Prepend = MetaspaceSplitter::Prepend;

constexpr size_t kWhole = size_t{1} << 40;

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
std::unique_ptr<Tokenizer> make(const Pipeline& pipeline, size_t window) {
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
  parts.window = window;
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

std::string make_text(std::mt19937_64& random) {
  static const std::vector<std::string> kBits = {"a",  "b",   "ab",   "A",      "é",      "e\u0301",
                                                 " ",  "  ",  "\t",   "\n",     "\u3000", ".",
                                                 "'s", "1",   "中",   "\u0301", "ﬁ",      "▁",
                                                 "Ġ",  "[M]", "\xFF", "xyz",    "😀"};
  std::string text;
  while (text.size() < 700) {
    const size_t run = 1 + random() % (random() % 8 == 0 ? 150 : 12);
    const std::string &one = kBits[random() % kBits.size()], &two = kBits[random() % kBits.size()];
    for (size_t i = 0; i < run; ++i) text += random() % 2 == 0 ? one : two;
  }
  return text;
}

TEST(PieceTokenizer, PiecesGiveWhatTheWholeGives) {
  std::mt19937_64 random(12);
  for (const Pipeline& pipeline : pipelines()) {
    const auto whole = make(pipeline, kWhole), pieces = make(pipeline, 64);
    for (int i = 0; i < 400; ++i) {
      const std::string text = make_text(random);
      SCOPED_TRACE(pipeline.name + ", text " + std::to_string(i));
      const Encoding a = whole->encode(text, 0), b = pieces->encode(text, 0);
      ASSERT_EQ(a.ids, b.ids);
      ASSERT_EQ(a.begins, b.begins);
      ASSERT_EQ(a.ends, b.ends);
      TokenBatch batch;
      pieces->append(text, 10, batch);
      ASSERT_EQ(batch.full_lengths[0], a.full_length);
      ASSERT_TRUE(std::equal(batch.ids.begin(), batch.ids.end(), a.ids.begin()));
    }
  }
}

TEST(PieceTokenizer, SaysWhereTokensComeFrom) {
  const auto t5 = make(pipelines()[0], kWhole);
  const Encoding encoding = t5->encode(" ab  é[M]a", 0);
  EXPECT_THAT(encoding.ids, ElementsAre(1, 4, 1, 6, 12, 5));
  EXPECT_THAT(encoding.begins, ElementsAre(1, 1, 5, 5, 7, 10));
  EXPECT_THAT(encoding.ends, ElementsAre(2, 3, 7, 7, 10, 11));
}

TEST(PieceTokenizer, HugeTextsTakeLinearTime) {
  for (const Pipeline& pipeline : pipelines()) {
    const auto tokenizer = make(pipeline, size_t{1} << 16);
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

TEST(WordLevel, APieceIsATokenOrUnknown) {
  const Vocabulary vocabulary({{"a", 0}, {"<unk>", 1}}, "v");
  const WordLevel model(vocabulary, "<unk>", "v");
  std::vector<TokenPart> buffer;
  EXPECT_EQ(model.tokens("a", buffer).data[0].id, 0);
  EXPECT_EQ(model.tokens("ab", buffer).data[0].id, 1);
  EXPECT_ANY_THROW(WordLevel(vocabulary, "[UNK]", "v"));
}

}  // namespace
}  // namespace contrastive::text
