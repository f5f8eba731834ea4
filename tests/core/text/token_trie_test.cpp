#include "core/text/token_trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace contrastive::text {
namespace {

using Found = std::vector<std::pair<size_t, int32_t>>;

Found prefixes(const TokenTrie& trie, std::string_view text, size_t at = 0) {
  Found found;
  trie.prefixes(text, at, [&](size_t length, int32_t id) { found.emplace_back(length, id); });
  return found;
}

TEST(TokenTrie, FindsAllTokensThatATextBeginsWith) {
  const TokenTrie trie({{"abc", 0}, {"a", 1}, {"abd", 2}, {"b", 3}, {"", 4}, {"a", 5}});
  EXPECT_EQ(prefixes(trie, "abcd"), (Found{{1, 1}, {3, 0}}));  // the first of the two "a" counts
  EXPECT_EQ(prefixes(trie, "xab", 1), (Found{{1, 1}}));
  EXPECT_EQ(prefixes(trie, "ab"), (Found{{1, 1}}));
  EXPECT_TRUE(prefixes(trie, "c").empty());
  EXPECT_TRUE(prefixes(trie, "a", 1).empty());
  EXPECT_TRUE(prefixes(TokenTrie(), "a").empty());
}

TEST(TokenTrie, AgreesWithAMapOnRandomTokens) {
  std::mt19937_64 random(3);
  std::map<std::string, int32_t> tokens;
  for (int i = 0; i < 3000; ++i) {
    std::string token;
    for (size_t size = 1 + random() % 6; size > 0; --size)
      token += static_cast<char>(random() % (i % 3 == 0 ? 256 : 4));
    tokens.emplace(token, static_cast<int32_t>(tokens.size()));
  }
  TokenTrie::Keys keys(tokens.begin(), tokens.end());
  std::shuffle(keys.begin(), keys.end(), random);
  const TokenTrie trie(keys);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (size_t size = random() % 8; size > 0; --size)
      text += static_cast<char>(random() % (i % 3 == 0 ? 256 : 4));
    Found expected;
    for (size_t length = 1; length <= text.size(); ++length) {
      const auto it = tokens.find(text.substr(0, length));
      if (it != tokens.end()) expected.emplace_back(length, it->second);
    }
    ASSERT_EQ(prefixes(trie, text), expected);
  }
}

}  // namespace
}  // namespace contrastive::text
