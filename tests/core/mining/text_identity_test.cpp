#include "core/mining/text_identity.h"

#include <gtest/gtest.h>

namespace contrastive::mining {
namespace {

TEST(TextIdentity, NormalizedTextsAreWithoutCaseWhiteSpaceAndCompatibleForms) {
  const TextNormalizer normalizer;
  EXPECT_EQ(normalizer.normalize(" A  b\tC\n"), "a b c");
  EXPECT_EQ(normalizer.normalize("\xEF\xAC\x81ne \xE2\x91\xA0\xC2\xA0x"),
            "fine 1 x");  // the ligature fi, a circled 1, a no-break space
  EXPECT_EQ(normalizer.normalize("\xC3\x89t\xC3\xA9"),
            normalizer.normalize("e\xCC\x81te\xCC\x81"));  // composed and not
  EXPECT_NE(normalizer.normalize("ete"), normalizer.normalize("\xC3\xA9te"));
  EXPECT_NE(normalizer.normalize("a."), normalizer.normalize("a"));
  EXPECT_EQ(normalizer.normalize("a\xFF"
                                 "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(normalizer.normalize(" \t "), "");
  EXPECT_EQ(normalizer.hash("One  Two"), normalizer.hash("one two"));
  EXPECT_NE(normalizer.hash("one two"), normalizer.hash("onetwo"));
}

TEST(TextIdentity, BlankTextsHaveNoCharacterButWhiteSpace) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\n\xC2\xA0\xE3\x80\x80"));
  EXPECT_FALSE(is_blank(" . "));
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

TEST(TextIdentity, KeysAreOfPrefixAndText) {
  EXPECT_EQ(text_key("a", "b"), text_key("a", "b"));
  EXPECT_NE(text_key("a", "b"), text_key("a", "c"));
  EXPECT_NE(text_key("a", "b"), text_key("x", "b"));
  EXPECT_EQ(text_key("", "abc")[0], 0xba7816bf8f01cfeaULL);  // SHA-256 of "abc", FIPS 180-4
}

}  // namespace
}  // namespace contrastive::mining
