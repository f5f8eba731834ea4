#include "core/text/byte_tokens.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

TEST(ByteTokens, AreNamedInHexadecimal) {
  EXPECT_EQ(ByteTokens::name(0), "<0x00>");
  EXPECT_EQ(ByteTokens::name('a'), "<0x61>");
  EXPECT_EQ(ByteTokens::name(0xFF), "<0xFF>");
}

TEST(ByteTokens, CoverATextWhoseBytesAllHaveOne) {
  const ByteTokens tokens(Vocabulary({{"<0x61>", 0}, {"<0xC3>", 1}, {"<0xA9>", 5}, {"b", 7}}, "v"));
  EXPECT_EQ(tokens.id('a'), 0);
  EXPECT_EQ(tokens.id('\xA9'), 5);
  EXPECT_EQ(tokens.id('b'), -1);  // a token, but not that of a byte
  EXPECT_TRUE(tokens.cover("a\u00E9"));
  EXPECT_TRUE(tokens.cover(""));
  EXPECT_FALSE(tokens.cover("ab"));
}

}  // namespace
}  // namespace contrastive::text
