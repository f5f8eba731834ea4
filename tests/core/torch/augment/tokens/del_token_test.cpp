#include "core/torch/augment/tokens/del_token.h"

#include <gtest/gtest.h>

#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"

namespace contrastive::augment {
namespace {

TEST(DelToken, CollapsesAsPublished) {
  const Json test = augment_vectors();
  EXPECT_EQ(collapse(test.at("collapse").at("in").get<Ids>(), test.at("del_id")),
            test.at("collapse").at("out").get<Ids>());
  EXPECT_EQ(collapse({}, kDel), Ids{});
}

TEST(DelToken, CollapseIsAChoice) {
  Rng rng = rng_for(0);
  const Ids ids = text_of(8);
  EXPECT_EQ(delete_at(ids, {2, 3, 5}, plain_del(true), rng),
            (Ids{0, 101, kDel, 104, kDel, 106, 2}));
  EXPECT_EQ(delete_at(ids, {2, 3, 5}, plain_del(false), rng),
            (Ids{0, 101, kDel, kDel, 104, kDel, 106, 2}));
  EXPECT_EQ(delete_at(ids, {}, plain_del(), rng), ids);
}

TEST(DelToken, SharesStayOrBecomeRandomTokens) {
  const Ids ordinary = {900, 901, 902, 903, 904};
  DelToken del = plain_del(false);
  del.keep = 0.1;
  del.random = 0.2;
  del.ordinary = &ordinary;
  const Ids ids = text_of(102);
  std::vector<int64_t> positions;
  std::map<int32_t, int64_t> random;
  for (int64_t i = 1; i <= 100; ++i) positions.push_back(i);
  int64_t kept = 0, deleted = 0;
  for (uint64_t example = 0; example < 200; ++example) {
    Rng rng = rng_for(example);
    const Ids view = delete_at(ids, positions, del, rng);
    for (size_t i = 1; i <= 100; ++i) {
      if (view[i] == ids[i]) ++kept;
      else if (view[i] == kDel) ++deleted;
      else ++random[view[i]];
    }
  }
  EXPECT_NEAR(static_cast<double>(kept), 2000, 200);  // 4.7 standard deviations
  EXPECT_NEAR(static_cast<double>(deleted), 14000, 300);
  EXPECT_TRUE(is_uniform(random, ordinary.size()));
}

}  // namespace
}  // namespace contrastive::augment
