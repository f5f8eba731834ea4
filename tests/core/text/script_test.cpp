#include "core/text/script.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

TEST(Script, LettersOfAScriptHaveOneNumber) {
  EXPECT_EQ(script_of(U'a'), script_of(U'\u00FC'));
  EXPECT_EQ(script_of(U'\u0436'), script_of(U'\u042F'));
  EXPECT_NE(script_of(U'a'), script_of(U'\u0436'));
  EXPECT_NE(script_of(U'a'), script_of(U'\u03B1'));
  EXPECT_EQ(script_of(U'.'), script_of(U'7'));  // common to all scripts, yet a script of its own
  EXPECT_NE(script_of(U'.'), script_of(U'a'));
}

TEST(Script, JapaneseIsOneScript) {
  const int16_t han = script_of(U'\u4E2D');
  EXPECT_EQ(script_of(U'\u306E'), han);  // Hiragana
  EXPECT_EQ(script_of(U'\u30AB'), han);  // Katakana
  EXPECT_EQ(script_of(U'\u30FC'), han);  // the mark of a long vowel
  EXPECT_NE(script_of(U'\uAC00'), han);  // Hangul
}

TEST(Script, SpaceAndWhatUnicode9LacksGoWithEveryScript) {
  EXPECT_EQ(script_of(U' '), kAnyScript);
  EXPECT_EQ(script_of(0x1F970), kAnyScript);  // a face of Unicode 11
  EXPECT_EQ(script_of(0x0378), kAnyScript);   // not assigned
  EXPECT_NE(script_of(U'\t'), kAnyScript);
}

}  // namespace
}  // namespace contrastive::text
