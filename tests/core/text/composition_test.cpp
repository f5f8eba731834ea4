#include "core/text/composition.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

NormalizedText composed(std::string_view text, bool compatible) {
  NormalizedText in, out;
  take_as_given(text, 0, true, in);
  if (!Composition(compatible).apply(in, 0, true, out)) take_as_given(text, 0, true, out);
  out.storage = std::string(out.bytes);
  return out;
}

TEST(Composition, PutsCharactersTogether) {
  EXPECT_EQ(composed("e\u0301", false).storage, "é");
  EXPECT_EQ(composed("plain é 中", false).storage, "plain é 中");
  EXPECT_EQ(composed("q\u0307\u0323", false).storage, "q\u0323\u0307");  // only the order changes
  EXPECT_EQ(composed("e\u0323\u0302", false).storage, "\u1EC7");
  EXPECT_EQ(composed("\u1100\u1161\u11A8", false).storage, "\uAC01");  // Hangul
  EXPECT_EQ(composed("\u0958", false).storage, "\u0915\u093C");        // excluded from composition
  EXPECT_EQ(composed("\u212B", false).storage, "\u00C5");
  EXPECT_EQ(composed("", false).storage, "");
  EXPECT_EQ(composed("\u0301a", false).storage, "\u0301a");
}

TEST(Composition, CompatibleFormsFirstComeApart) {
  EXPECT_EQ(composed("ﬁ㎏①", true).storage, "fikg1");
  EXPECT_EQ(composed("ﬁ①", false).storage, "ﬁ①");
  EXPECT_EQ(composed("ｶﾞ", true).storage, "ガ");
}

TEST(Composition, ACompositeStandsWhereItsFirstCharacterStood) {
  const NormalizedText out = composed("xe\u0301y", false);
  EXPECT_EQ(out.begins, (std::vector<int64_t>{0, 1, 1, 4}));
  EXPECT_EQ(out.ends, (std::vector<int64_t>{1, 2, 2, 5}));
}

}  // namespace
}  // namespace contrastive::text
