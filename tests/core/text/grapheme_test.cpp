#include "core/text/grapheme.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace contrastive::text {
namespace {

std::vector<std::string> clusters(std::string_view text) {
  std::vector<std::string> found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = grapheme_end(text, at);
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

TEST(Grapheme, ClustersOfTheAnnex) {
  using Clusters = std::vector<std::string>;
  EXPECT_EQ(clusters("ab"), (Clusters{"a", "b"}));
  EXPECT_EQ(clusters("a\r\n\nb"), (Clusters{"a", "\r\n", "\n", "b"}));
  EXPECT_EQ(clusters("e\u0301\u0302x"), (Clusters{"e\u0301\u0302", "x"}));
  EXPECT_EQ(clusters("\u1100\u1161\u11A8\u1100"), (Clusters{"\u1100\u1161\u11A8", "\u1100"}));
  EXPECT_EQ(clusters("👨‍👩‍👧x"), (Clusters{"👨‍👩‍👧", "x"}));
  EXPECT_EQ(clusters("a\u200D👩"), (Clusters{"a\u200D", "👩"}));
  EXPECT_EQ(clusters("🇩🇪🇫🇷🇮"), (Clusters{"🇩🇪", "🇫🇷", "🇮"}));
  EXPECT_EQ(clusters("\n\u0301"), (Clusters{"\n", "\u0301"}));
  EXPECT_EQ(clusters("\u0600x"), (Clusters{"\u0600x"}));
  EXPECT_TRUE(clusters("").empty());
}

}  // namespace
}  // namespace contrastive::text
