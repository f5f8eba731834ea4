#include "core/text/normalizer_item.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace contrastive::text {
namespace {

std::vector<NormalizerItem> after(NormalizerStep step, char32_t c) {
  std::vector<NormalizerItem> items;
  apply_step(step, {c, 0, 0, 7, 9}, items);
  return items;
}

std::u32string characters(NormalizerStep step, char32_t c) {
  std::u32string text;
  for (const NormalizerItem& item : after(step, c)) text += item.c;
  return text;
}

TEST(NormalizerItem, EveryStepOnOneCharacter) {
  EXPECT_EQ(characters(NormalizerStep::kClean, U'\t'), U" ");
  EXPECT_EQ(characters(NormalizerStep::kClean, U'\u0007'), U"");
  EXPECT_EQ(characters(NormalizerStep::kSpaceCjk, U'\u4E2D'), U" \u4E2D ");
  EXPECT_EQ(characters(NormalizerStep::kSpaceCjk, U'a'), U"a");
  EXPECT_EQ(characters(NormalizerStep::kDecompose, U'\u1EBF'), U"e\u0302\u0301");
  EXPECT_EQ(characters(NormalizerStep::kDecompose, U'\uFB01'), U"\uFB01");
  EXPECT_EQ(characters(NormalizerStep::kDecomposeCompatibly, U'\uFB01'), U"fi");
  EXPECT_EQ(characters(NormalizerStep::kDropAccents, U'\u0301'), U"");
  EXPECT_EQ(characters(NormalizerStep::kDropAccents, U'\u0903'), U"\u0903");  // a mark, no accent
  EXPECT_EQ(characters(NormalizerStep::kDropMarks, U'\u0903'), U"");
  EXPECT_EQ(characters(NormalizerStep::kLowerCase, U'\u0130'), U"i\u0307");
  EXPECT_EQ(characters(NormalizerStep::kNmt, U'\u200B'), U" ");
  EXPECT_EQ(characters(NormalizerStep::kNmt, U'\u0001'), U"");
}

TEST(NormalizerItem, WhatIsMadeOfACharacterKeepsItsSource) {
  const std::vector<NormalizerItem> items = after(NormalizerStep::kDecompose, U'\u1EBF');
  ASSERT_EQ(items.size(), 3u);
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i].begin, 7);
    EXPECT_EQ(items[i].end, 9);
    EXPECT_EQ(items[i].change, i == 0 ? 0 : 1);
    EXPECT_EQ(items[i].combining, i == 0 ? 0 : 230);
  }
}

}  // namespace
}  // namespace contrastive::text
