#include "core/text/charsmap.h"

#include <gtest/gtest.h>

#include <random>

#include "core/text/utf8.h"
#include "tests/core/text/charsmap_bytes.h"
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

std::string bytes() {
  return CharsmapBytes({{"\t", " "},
                        {"\r\n", " "},
                        {"\u3000", " "},
                        {"½", "1\u20442"},
                        {"ﬁ", "fi"},
                        {"e\u0301", "é"},
                        {"a\u0301", "á"},
                        {"Q", "q"}})
      .bytes();
}

// The mapped text and its positions. A text that the map does not change is returned unchanged.
NormalizedText mapped(std::string_view text, bool aligned) {
  NormalizedText in, out;
  take_as_given(text, 0, aligned, in);
  if (!Charsmap(bytes(), "map").apply(in, 0, aligned, out)) take_as_given(text, 0, aligned, out);
  out.storage = std::string(out.bytes);
  return out;
}

std::string mapped(std::string_view text) {
  EXPECT_EQ(mapped(text, true).storage, mapped(text, false).storage);
  return mapped(text, false).storage;
}

TEST(Charsmap, ReplacesClustersAndCharacters) {
  EXPECT_EQ(mapped("plain text, 123"), "plain text, 123");
  EXPECT_EQ(mapped("a\tb\r\nc\u3000d"), "a b c d");
  EXPECT_EQ(mapped("ﬁne ½"), "fine 1\u20442");
  EXPECT_EQ(mapped("e\u0301a\u0301\u0302x"), "éáx");  // the second mark is lost with its cluster
  EXPECT_EQ(mapped("½\u0301"), "1\u20442");           // and so is this one
  EXPECT_EQ(mapped("Q\u0301\u0302\u0303"),
            "q\u0301\u0302\u0303");  // a cluster of seven bytes is mapped character by character
  EXPECT_EQ(mapped("\u1100\u1161"), "\u1100\u1161");
  EXPECT_EQ(mapped(""), "");
}

TEST(Charsmap, AlignmentFollows) {
  const NormalizedText out = mapped("ﬁe\u0301x", true);
  EXPECT_EQ(out.begins, (std::vector<int64_t>{0, 0, 3, 3, 6}));
  EXPECT_EQ(out.ends, (std::vector<int64_t>{3, 3, 4, 4, 7}));
}

TEST(Charsmap, AMapOfWrongLengthIsRefused) {
  const std::string good = bytes();
  expect_error(Status::kFormat, "no map of characters", [] { Charsmap("abc", "map"); });
  expect_error(Status::kFormat, "map: a trie of 0 bytes",
               [] { Charsmap(std::string(4, '\0'), "map"); });
  expect_error(Status::kFormat, "map: a trie of", [&] { Charsmap(good.substr(0, 100), "map"); });
  std::string odd = good;
  odd[0] = static_cast<char>(odd[0] + 1);
  expect_error(Status::kFormat, "map: a trie of", [&] { Charsmap(odd, "map"); });
  expect_error(Status::kFormat, "does not end",
               [&] { Charsmap(good.substr(0, good.size() - 1), "map"); });
  expect_error(Status::kFormat, "are not UTF-8", [&] { Charsmap(good + "\xFF" + '\0', "map"); });
}

// A damaged trie may give any result, but no access outside of it.
TEST(Charsmap, DamagedTriesOnlyReplaceWrongly) {
  std::mt19937_64 random(8);
  const std::string good = bytes(), text = "a\tb ½ e\u0301 ﬁ Q 中\u0301";
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int edits = 0; edits < 3; ++edits)
      bad[4 + random() % (bad.size() - 4)] = static_cast<char>(random());
    try {
      const Charsmap map(bad, "map");
      NormalizedText in, out;
      take_as_given(text, 0, true, in);
      if (map.apply(in, 0, true, out)) {
        EXPECT_EQ(valid_utf8_prefix(out.bytes), out.bytes.size());
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kFormat);
    }
  }
}

}  // namespace
}  // namespace contrastive::text
