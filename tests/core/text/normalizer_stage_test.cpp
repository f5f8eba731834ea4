#include "core/text/normalizer_stage.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

using Places = std::vector<int64_t>;

TEST(ApplyChanges, AReplacementIsPlacedAtTheFirstCharacterItReplaces) {
  NormalizedText in, out;
  take_as_given("a\u00E9bc", 5, true, in);
  // The first character goes, the next two become x, y comes after them, the last one stays.
  apply_changes(in, {{U'x', -1}, {U'y', 1}, {U'c', 0}}, 1, 5, true, out);
  EXPECT_EQ(out.bytes, "xyc");
  EXPECT_EQ(out.begins, (Places{6, 8, 9}));
  EXPECT_EQ(out.ends, (Places{8, 9, 10}));
}

TEST(ApplyChanges, WhatIsInsertedInFrontHasNoLength) {
  NormalizedText in, out;
  take_as_given("a", 5, true, in);
  apply_changes(in, {{U'x', 1}, {U'a', 0}}, 0, 5, true, out);
  EXPECT_EQ(out.bytes, "xa");
  EXPECT_EQ(out.begins, (Places{5, 5}));
  EXPECT_EQ(out.ends, (Places{5, 6}));
}

TEST(ApplyChanges, WithoutAlignmentThereAreNoPlaces) {
  NormalizedText in, out;
  take_as_given("ab", 0, false, in);
  apply_changes(in, {{U'\u00E9', 0}}, 1, 0, false, out);
  EXPECT_EQ(out.bytes, "\u00E9");
  EXPECT_TRUE(out.begins.empty());
}

TEST(AppendText, TakesThePlacesAlong) {
  NormalizedText in, out;
  take_as_given("a\u00E9b", 3, true, in);
  append_text(in, 1, 4, out);
  EXPECT_EQ(out.storage, "\u00E9b");
  EXPECT_EQ(out.begins, (Places{4, 4, 6}));
  EXPECT_EQ(out.ends, (Places{6, 6, 7}));
}

}  // namespace
}  // namespace contrastive::text
