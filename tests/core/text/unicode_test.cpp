#include "core/text/unicode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace contrastive::text {
namespace {

std::u32string decode_all(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) out += decode_utf8(text, at);
  return out;
}

std::u32string decomposed(char32_t c) {
  char32_t out[4];
  return {out, decompose(c, out)};
}

std::u32string lowered(char32_t c) {
  char32_t out[2];
  return {out, lower_case(c, out)};
}

// The results of Python's bytes.decode(errors="replace").
TEST(Utf8, MalformedSequencesReadAsPythonReplacesThem) {
  EXPECT_EQ(decode_all("a\xff\xfe"), U"a\uFFFD\uFFFD");
  EXPECT_EQ(decode_all("\xE2\x82"), U"\uFFFD");  // cut short: one error
  EXPECT_EQ(decode_all("\xE2\x82 x"), U"\uFFFD x");
  EXPECT_EQ(decode_all("\xC3(b"), U"\uFFFD(b");
  EXPECT_EQ(decode_all("\xF0\x9F\x98"), U"\uFFFD");
  EXPECT_EQ(decode_all("\xF0\x28\x8C\xBC"), U"\uFFFD(\uFFFD\uFFFD");
  EXPECT_EQ(decode_all("\xC0\x80"), U"\uFFFD\uFFFD");  // overlong NUL: one error for each byte
  EXPECT_EQ(decode_all("\xE0\x80\xAF"), U"\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode_all("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");            // surrogate
  EXPECT_EQ(decode_all("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(decode_all("\xF5\x80"), U"\uFFFD\uFFFD");
}

TEST(Utf8, EveryCodePointSurvivesTheRoundTrip) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string bytes;
    append_utf8(c, bytes);
    size_t at = 0, valid_at = 0;
    ASSERT_EQ(decode_utf8(bytes, at), c);
    ASSERT_EQ(decode_valid(bytes, valid_at), c);
    ASSERT_EQ(at, bytes.size());
    ASSERT_EQ(valid_at, bytes.size());
    ASSERT_EQ(valid_utf8_prefix(bytes), bytes.size());
  }
}

TEST(Utf8, TheValidPrefixEndsBeforeTheFirstFault) {
  EXPECT_EQ(valid_utf8_prefix(""), 0u);
  EXPECT_EQ(valid_utf8_prefix("ab\xC3\xA9"), 4u);
  EXPECT_EQ(valid_utf8_prefix("ab\xC3"), 2u);
  EXPECT_EQ(valid_utf8_prefix("\xEF\xBF\xBD\x80"), 3u);  // a genuine U+FFFD is not an error
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
