#include "core/torch/tasks/transfer/probe_features.h"

#include <gtest/gtest.h>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using Texts = std::vector<std::string>;

TEST(ProbeFeatures, OfSingleTextsAreTheirEmbeddings) {
  LetterEncoder letters;
  const Texts train = {"abc", "aab", "abc"}, test = {"aab", "z"}, none;
  const ProbeFeatures features =
      embed_parts({{&train, &none}, {&none, &none}, {&test, &none}}, letters.encoder());
  EXPECT_EQ(letters.encoded, 3) << "each distinct text once";
  EXPECT_EQ(features.width, 26);
  ASSERT_EQ(features.rows.size(), 3u);
  EXPECT_TRUE(features.rows[1].empty());
  EXPECT_EQ(features.rows[0][0], features.rows[0][2]);
  EXPECT_EQ(features.rows[0][1], features.rows[2][0]);
  EXPECT_EQ(features.rows[0][1][0], 2);
  EXPECT_EQ(features.rows[2][1][25], 1);
}

TEST(ProbeFeatures, OfPairsAreDifferenceAndProduct) {
  LetterEncoder letters;
  const Texts first = {"aaab", "c"}, second = {"abb", "c"}, other_first = {"abb"},
              other_second = {"aaab"};
  const ProbeFeatures features =
      embed_parts({{&first, &second}, {&other_first, &other_second}}, letters.encoder());
  EXPECT_EQ(letters.encoded, 3);
  EXPECT_EQ(features.width, 52);
  const float* row = features.rows[0][0];
  EXPECT_EQ(row[0], 2);       // |3 - 1|
  EXPECT_EQ(row[1], 1);       // |1 - 2|
  EXPECT_EQ(row[26], 3);      // 3 * 1
  EXPECT_EQ(row[26 + 1], 2);  // 1 * 2
  EXPECT_EQ(features.rows[0][1][2], 0);
  EXPECT_EQ(features.rows[0][1][26 + 2], 1);
  for (int i = 0; i < 52; ++i)
    EXPECT_EQ(features.rows[1][0][i], row[i]) << "the order of a pair does not matter";
}

}  // namespace
}  // namespace contrastive::eval
