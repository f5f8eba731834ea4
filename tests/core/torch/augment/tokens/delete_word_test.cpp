#include "core/torch/augment/tokens/delete_word.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/sample.h"
#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"
#include "tests/fixtures_folder.h"

namespace contrastive::augment {
namespace {

TEST(DeleteWord, RoundsAsPublished) {
  const Json rounding = read_json_file(fixtures() + "/clear_vectors.json").at("prob_rounding");
  for (const Json& test : rounding.at("cases"))
    EXPECT_EQ(rounded_count(test.at("p"), test.at("sz"), test.at("u")),
              test.at("count").get<int64_t>());
}

TEST(DeleteWord, DeletesTheCountOfTheRule) {
  for (const double share : {0.15, 0.3, 0.7, 0.9}) {
    for (const int64_t n : {7, 20, 51}) {
      double sum = 0;
      for (uint64_t example = 0; example < 400; ++example) {
        Rng rng = rng_for(example);
        const int64_t deleted =
            count_of(delete_words(text_of(n), share, plain_del(false), rng), kDel);
        const double exact = share * static_cast<double>(n), most = static_cast<double>(n - 2);
        EXPECT_GE(static_cast<double>(deleted), std::min(std::floor(exact), most));
        EXPECT_LE(static_cast<double>(deleted), std::min(std::floor(exact) + 1, most));
        sum += static_cast<double>(deleted);
      }
      if (share > 0.8) continue;  // the ends of the text limit it there
      EXPECT_NEAR(sum / 400, share * static_cast<double>(n), 0.13) << share << " of " << n;
    }
  }
}

TEST(DeleteWord, PositionsAreUniform) {
  std::vector<int64_t> hits(28);
  for (uint64_t example = 0; example < 4000; ++example) {
    Rng rng = rng_for(example);
    const Ids view = delete_words(text_of(30), 0.3, plain_del(false), rng);
    EXPECT_EQ(view.front(), 0);
    EXPECT_EQ(view.back(), 2);
    for (size_t i = 1; i < 29; ++i) hits[i - 1] += view[i] == kDel ? 1 : 0;
  }
  EXPECT_TRUE(hits_evenly(hits, 4000));  // nine a draw
}

// Two of the six tokens: 15 sets, which must be equally likely.
TEST(DeleteWord, EverySetOfPositionsIsAsLikely) {
  std::map<Ids, int64_t> seen;
  for (uint64_t example = 0; example < 20000; ++example) {
    Rng rng = rng_for(example);
    ++seen[delete_words(text_of(8), 0.25, plain_del(false), rng)];
  }
  EXPECT_TRUE(is_uniform(seen, 15));
}

TEST(DeleteWord, ViewsAreIndependent) {
  EXPECT_TRUE(views_are_independent(
      [](Rng& rng) { return delete_words(text_of(8), 0.25, plain_del(false), rng); }));
}

TEST(DeleteWord, AllTokensDeletedLeaveOneDelBetweenTheEnds) {
  Rng rng = rng_for(1);
  EXPECT_EQ(delete_words(text_of(12), 1, plain_del(), rng), (Ids{0, kDel, 2}));
  EXPECT_EQ(delete_words(text_of(2), 0.9, plain_del(), rng), text_of(2))
      << "an empty text has nothing to delete";
}

}  // namespace
}  // namespace contrastive::augment
