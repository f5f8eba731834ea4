#include "core/text/mark_run.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/rng.h"
#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

// The pieces of a run of marks, joined.
NormalizedText in_pieces(const Normalizer& normalizer, std::string_view text, size_t size) {
  MarkRun run(normalizer, text, 4);
  NormalizedText piece, whole;
  EXPECT_TRUE(run.possible());
  EXPECT_EQ(run.bytes(), static_cast<int64_t>(text.size()));
  while (run.next(size, true, piece)) {
    whole.storage += piece.bytes;
    whole.begins.insert(whole.begins.end(), piece.begins.begin(), piece.begins.end());
    whole.ends.insert(whole.ends.end(), piece.ends.begin(), piece.ends.end());
  }
  whole.bytes = whole.storage;
  return whole;
}

TEST(MarkRun, PiecesGiveWhatSortingTheWholeGives) {
  const std::vector<std::vector<NormalizerStep>> chains = {{NormalizerStep::kDecompose},
                                                           {NormalizerStep::kDecomposeCompatibly,
                                                            NormalizerStep::kLowerCase},
                                                           {NormalizerStep::kLowerCase,
                                                            NormalizerStep::kDecompose}};
  const char32_t marks[] = {0x301, 0x302, 0x323, 0x327, 0x345, 0x344, 0x5B0, 0x93C};
  for (const std::vector<NormalizerStep>& steps : chains) {
    const Normalizer normalizer(steps);
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed, Purpose::kSubset);
      std::string text = "\u00C9";
      for (uint64_t n = 1 + rng.below(60); n > 0; --n) append_utf8(marks[rng.below(8)], text);
      NormalizedText expected;
      normalizer.normalize(text, 4, true, expected);
      for (const size_t size : {1, 7, 1000}) {
        const NormalizedText got = in_pieces(normalizer, text, size);
        ASSERT_EQ(got.bytes, expected.bytes) << "seed " << seed << ", pieces of " << size;
        ASSERT_EQ(got.begins, expected.begins) << "seed " << seed << ", pieces of " << size;
        ASSERT_EQ(got.ends, expected.ends) << "seed " << seed << ", pieces of " << size;
      }
    }
  }
}

TEST(MarkRun, ABaseCharacterBehindAMarkCannotBeOrderedByClasses) {
  const Normalizer normalizer({NormalizerStep::kDecompose});
  EXPECT_FALSE(MarkRun(normalizer, "a\u0301b", 0).possible());
  const Normalizer twice({NormalizerStep::kDecompose, NormalizerStep::kDecomposeCompatibly});
  EXPECT_FALSE(MarkRun(twice, "a\u0301", 0).possible());
}

}  // namespace
}  // namespace contrastive::text
