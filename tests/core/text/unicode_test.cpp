#include "core/text/unicode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace contrastive::text {
namespace {

std::u32string decomposed(char32_t c) {
  char32_t out[4];
  return {out, decompose(c, out)};
}

std::u32string lowered(char32_t c) {
  char32_t out[2];
  return {out, lower_case(c, out)};
}

TEST(CharFlags, FollowTheTablesOfHuggingFace) {
  EXPECT_TRUE(char_flags(U' ') & kSpace);
  EXPECT_TRUE(char_flags(U'\u3000') & kSpace);
  EXPECT_FALSE(char_flags(U'\u200B') & kSpace);
  EXPECT_TRUE(char_flags(0x200B) & kDropped);
  EXPECT_TRUE(char_flags(0) & kDropped);
  EXPECT_TRUE(char_flags(0xFFFD) & kDropped);
  EXPECT_TRUE(char_flags(0xE000) & kDropped);
  EXPECT_FALSE(char_flags(U'\t') & kDropped);
  EXPECT_FALSE(char_flags(0x378) & kDropped);  // unassigned
  for (const char32_t c : std::u32string(U"!$+<=>^`|~\u00A1\u2014\u3002"))
    EXPECT_TRUE(char_flags(c) & kPunctuation) << static_cast<uint32_t>(c);
  for (const char32_t c : std::u32string(U"aé\u00B4\u20AC"))
    EXPECT_FALSE(char_flags(c) & kPunctuation) << static_cast<uint32_t>(c);
  EXPECT_TRUE(char_flags(0x301) & kAccent);
  EXPECT_FALSE(char_flags(0x1885) & kAccent);  // became Mn after Unicode 8
  EXPECT_TRUE(char_flags(0x1734) & kAccent);   // no longer Mn
  EXPECT_TRUE(char_flags(0x903) & kMark);
  EXPECT_FALSE(char_flags(0x903) & kAccent);
  EXPECT_TRUE(char_flags(U'中') & kCjk);
  EXPECT_FALSE(char_flags(U'か') & kCjk);
  EXPECT_TRUE(char_flags(U'か') & kLetter);
  EXPECT_TRUE(char_flags(U'½') & kNumber);
  EXPECT_TRUE(char_flags(0x10D4A) & kLetter);  // Unicode 16
}

TEST(Decompose, IsFullAndCanonicalOnly) {
  EXPECT_EQ(decomposed(U'é'), U"e\u0301");
  EXPECT_EQ(decomposed(0x1F82), U"\u03B1\u0313\u0300\u0345");
  EXPECT_EQ(decomposed(U'각'), U"\u1100\u1161\u11A8");
  EXPECT_EQ(decomposed(U'ﬁ'), U"ﬁ");
  EXPECT_EQ(combining_class(0x301), 230);
  EXPECT_EQ(combining_class(0x323), 220);
  EXPECT_EQ(combining_class(0xD3B), 0);  // assigned after the table was made
}

TEST(LowerCase, HasNoContext) {
  EXPECT_EQ(lowered(U'A'), U"a");
  EXPECT_EQ(lowered(U'Σ'), U"σ");
  EXPECT_EQ(lowered(0x130), U"i\u0307");
  EXPECT_EQ(lowered(U'ẞ'), U"ß");
  EXPECT_EQ(lowered(0x10D50), std::u32string(1, 0x10D70));  // Unicode 16
  EXPECT_EQ(lowered(U'中'), U"中");
}

TEST(WordChar, IsWhatRegularExpressionsCallOne) {
  for (const char32_t c : std::u32string(U"aZ9_é\u0301中\u200D"))
    EXPECT_TRUE(is_word_char(c)) << static_cast<uint32_t>(c);
  for (const char32_t c : std::u32string(U" -.½\u2014"))
    EXPECT_FALSE(is_word_char(c)) << static_cast<uint32_t>(c);
}

}  // namespace
}  // namespace contrastive::text
