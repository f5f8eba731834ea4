#include "core/encoder/relative_bias.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace contrastive::encoder {
namespace {

TEST(RelativeBias, BucketsBeginAtThePublishedDistances) {
  std::vector<int64_t> first;
  for (int64_t distance = 0; distance < 300; ++distance) {
    const int64_t bucket = distance_bucket(-distance, 32, 128);
    if (first.empty() || bucket != distance_bucket(1 - distance, 32, 128))
      first.push_back(distance);
    EXPECT_EQ(distance == 0 ? 0 : distance_bucket(distance, 32, 128),
              distance == 0 ? 0 : bucket + 16)
        << distance;
  }
  EXPECT_THAT(first, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91));
  EXPECT_EQ(distance_bucket(-1'000'000, 32, 128), 15);
  EXPECT_EQ(distance_bucket(1'000'000, 32, 128), 31);
}

TEST(RelativeBias, SlopesOfAlibi) {
  const std::vector<float> eight = alibi_slopes(8), twelve = alibi_slopes(12);
  for (int i = 0; i < 8; ++i)
    EXPECT_FLOAT_EQ(eight[static_cast<size_t>(i)], std::pow(2.0f, static_cast<float>(-i - 1)));
  ASSERT_EQ(twelve.size(), 12u);
  for (int i = 0; i < 8; ++i)
    EXPECT_FLOAT_EQ(twelve[static_cast<size_t>(i)], eight[static_cast<size_t>(i)]);
  for (int i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(twelve[static_cast<size_t>(8 + i)],
                    std::pow(2.0f, -0.5f - static_cast<float>(i)));
}

}  // namespace
}  // namespace contrastive::encoder
