#include "core/text/normalizer_stream.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/rng.h"
#include "core/text/composition.h"
#include "tests/core/text/stages.h"

namespace contrastive::text {
namespace {

void expect_pieces_give_the_whole(const NormalizerChain& chain, const std::string& text) {
  NormalizedText whole;
  chain.normalize(text, 3, true, whole);
  for (const size_t size : {1, 5, 64}) {
    NormalizerStream stream(chain, text, 3, true, size);
    EXPECT_EQ(stream.place(), 3);
    NormalizedText piece, joined;
    while (stream.next(piece)) {
      joined.storage += piece.bytes;
      joined.begins.insert(joined.begins.end(), piece.begins.begin(), piece.begins.end());
      joined.ends.insert(joined.ends.end(), piece.ends.begin(), piece.ends.end());
    }
    ASSERT_EQ(joined.storage, whole.bytes) << "pieces of " << size << " of " << text;
    ASSERT_EQ(joined.begins, whole.begins) << "pieces of " << size << " of " << text;
    ASSERT_EQ(joined.ends, whole.ends) << "pieces of " << size << " of " << text;
    EXPECT_EQ(stream.place(), 3 + static_cast<int64_t>(text.size()));
  }
}

std::string random_text(uint64_t seed) {
  Rng rng(seed, Purpose::kSubset);
  const char* bits[] = {"a", "B", "7", " ", "\u00E9", "\u0301", "\u0323", "\u4E2D", "''", "\uAC00"};
  std::string text;
  for (uint64_t n = rng.below(60); n > 0; --n) text += bits[rng.below(10)];
  return text;
}

TEST(NormalizerStream, PiecesOfStepsGiveTheWhole) {
  const NormalizerChain chain({stage<CharacterStage>(bert_steps(true, true, true, true))});
  const NormalizerChain marks(
      {stage<CharacterStage>(std::vector<NormalizerStep>{NormalizerStep::kDecompose})});
  for (uint64_t seed = 0; seed < 60; ++seed) {
    expect_pieces_give_the_whole(chain, random_text(seed));
    expect_pieces_give_the_whole(marks, random_text(seed));
  }
}

TEST(NormalizerStream, OtherChainsAreCutInsideOfWordsOnly) {
  const NormalizerChain chain({stage<Composition>(false), replace("''", "\"")});
  for (uint64_t seed = 0; seed < 60; ++seed) expect_pieces_give_the_whole(chain, random_text(seed));
}

TEST(NormalizerStream, AMalformedSequenceCountsAsThreeBytes) {
  const NormalizerChain chain({stage<CharacterStage>(std::vector<NormalizerStep>{})});
  NormalizerStream stream(chain,
                          "a\xFF"
                          "b",
                          0, true, 100);
  NormalizedText piece;
  ASSERT_TRUE(stream.next(piece));
  EXPECT_EQ(piece.bytes, "a\uFFFD"
                         "b");
  EXPECT_EQ(stream.place(), 5);
  EXPECT_FALSE(stream.next(piece));
}

}  // namespace
}  // namespace contrastive::text
