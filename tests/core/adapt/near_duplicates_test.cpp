#include "core/adapt/near_duplicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "tests/expect_error.h"

namespace contrastive::adapt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearDuplicates, CaseSpaceAndPunctuationDoNotTellTextsApart) {
  const NearDuplicates near({"How do I reset my password?", "Where is the invoice"}, 1);
  EXPECT_THAT(near.like("how do i  RESET my password"), ElementsAre(0));
  EXPECT_THAT(near.like("How do I reset my password please?"), IsEmpty());
  EXPECT_THAT(near.like(""), IsEmpty());
  EXPECT_THAT(near.like("..."), IsEmpty());
}

TEST(NearDuplicates, CompareWordsAndTheirNeighbours) {
  // 5 words and 4 pairs of neighbours; with one more word, 9 of 11 are common.
  const std::string five = "one two three four five";
  EXPECT_TRUE(NearDuplicates({five}, 9.0 / 11).has_like(five + " six"));
  EXPECT_FALSE(NearDuplicates({five}, 9.0 / 11 + 0.001).has_like(five + " six"));
  EXPECT_FALSE(NearDuplicates({five}, 0.8).has_like("five four three two one"))
      << "the same words in another order are 5 of 13";
}

TEST(NearDuplicates, AnIdeographIsAWord) {
  const NearDuplicates near({"密码重置的步骤说明"}, 0.8);
  EXPECT_TRUE(near.has_like("密码重置的步骤说明书"));
  EXPECT_FALSE(near.has_like("天气预报说明"));
}

double jaccard(const mining::TextNormalizer& normalizer, const std::string& a,
               const std::string& b) {
  const std::vector<uint64_t> x = word_hashes(normalizer, a), y = word_hashes(normalizer, b);
  std::vector<uint64_t> both;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(x.size() + y.size() - both.size());
}

TEST(NearDuplicates, FindWhatComparingAllFinds) {
  const std::vector<std::string> words = {"a", "b", "c", "d", "e", "f", "g", "h"};
  Rng rng(5, Purpose::kSubset);
  std::vector<std::string> texts, others;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (uint64_t j = 0; j < 1 + rng.below(6); ++j)
      text += words[rng.below(j < 2 ? 2 : words.size())] + " ";
    (i % 2 == 0 ? texts : others).push_back(text);
  }
  const mining::TextNormalizer normalizer;
  int64_t found = 0;
  for (const double least : {0.3, 0.6, 0.8, 1.0}) {
    const NearDuplicates near(texts, least);
    for (const std::string& other : others) {
      std::vector<int64_t> expected;
      for (size_t i = 0; i < texts.size(); ++i) {
        if (jaccard(normalizer, texts[i], other) >= least - 1e-9)
          expected.push_back(static_cast<int64_t>(i));
      }
      EXPECT_EQ(near.like(other), expected) << other << "at " << least;
      found += static_cast<int64_t>(expected.size());
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(NearDuplicates, RefuseAnImpossibleThreshold) {
  expect_error(Status::kArgument, "texts are near-duplicates from a similarity of 0",
               [&] { NearDuplicates({}, 0); });
  expect_error(Status::kArgument, "texts are near-duplicates from a similarity of 1.1:", [&] {
    NearDuplicates({}, 1.1);
  });
}

}  // namespace
}  // namespace contrastive::adapt
