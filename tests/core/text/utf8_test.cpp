#include "core/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace contrastive::text {
namespace {

std::u32string decode_all(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) out += decode_utf8(text, at);
  return out;
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

TEST(Utf8, KnowsWellFormedText) {
  const auto is_valid = [](const std::string& text) {
    return valid_utf8_prefix(text) == text.size();
  };
  for (const char* good :
       {"", "plain", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_valid(good)) << good;
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xff", "a\xe4\xb8"}) {
    EXPECT_FALSE(is_valid(bad)) << bad;
  }
}

TEST(Utf8, CountsWhatIsNoText) {
  EXPECT_EQ(count_non_text("a line\twith caf\u00E9, \U0001F600 and a genuine \uFFFD\r\n"), 0);
  EXPECT_EQ(count_non_text("\x01 \x7f \x1b"), 3);
  EXPECT_EQ(count_non_text("caf\xe9 \xff\xfe"), 3);
  EXPECT_EQ(count_non_text("\xe2\x82"), 1);  // a character that is cut off
  EXPECT_EQ(count_non_text(""), 0);
}

}  // namespace
}  // namespace contrastive::text
