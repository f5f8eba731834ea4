#include "core/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace contrastive {
namespace {

using Block = std::array<uint32_t, 4>;

// Philox 4x32-10 as in the paper, with explicit counter and key.
Block philox(Block counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * counter[0], p1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The seed that gives a chosen key: mix() is a bijection.
uint64_t unmix(uint64_t y) {
  y ^= (y >> 31) ^ (y >> 62);
  y *= 0x319642b2d24d8ec3;
  y ^= (y >> 27) ^ (y >> 54);
  y *= 0x96de1b173f119089;
  return y ^ (y >> 30) ^ (y >> 60);
}

TEST(Rng, TheReferenceGivesTheKnownAnswersOfItsAuthors) {
  // kat_vectors of Random123, philox4x32 with 10 rounds.
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, DrawsAreTheBlocksOfPhilox) {
  ASSERT_EQ(unmix(mix(0x0123456789abcdef)), 0x0123456789abcdefu);
  const uint64_t seed_of_key_zero = unmix(0) ^ (uint64_t{1} << 32) ^ mix(0x9e3779b97f4a7c15);
  Rng known(seed_of_key_zero, Purpose::kShuffle);
  EXPECT_EQ(known.next32(), 0x6627e8d5u);
  EXPECT_EQ(known.next32(), 0xe169c58du);
  EXPECT_EQ(known.next32(), 0xbc57ac4cu);
  EXPECT_EQ(known.next32(), 0x9b00dbd8u);

  const uint64_t seed = 42, epoch = 3, example = 0x123456789;
  const uint64_t key = mix(seed ^ uint64_t{7} << 32 ^ mix(epoch + 0x9e3779b97f4a7c15));
  Rng rng(seed, Purpose::kDropout, epoch, example);
  for (uint32_t position = 0; position < 5; ++position) {
    const Block block =
        philox({position, 0, static_cast<uint32_t>(example), static_cast<uint32_t>(example >> 32)},
               {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
    for (const uint32_t word : block) EXPECT_EQ(rng.next32(), word);
  }
}

TEST(Rng, AStreamDependsOnEachOfItsFourCoordinatesAndOnNothingElse) {
  std::set<uint64_t> firsts;
  int streams = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (uint32_t purpose = 1; purpose <= 8; ++purpose) {
      for (uint64_t epoch = 0; epoch < 5; ++epoch) {
        for (uint64_t example = 0; example < 50; ++example, ++streams) {
          firsts.insert(Rng(seed, static_cast<Purpose>(purpose), epoch, example).next64());
        }
      }
    }
  }
  EXPECT_EQ(firsts.size(), static_cast<size_t>(streams));
  EXPECT_EQ(Rng(1, Purpose::kMlmMask, 2, 3).next64(), Rng(1, Purpose::kMlmMask, 2, 3).next64());
}

TEST(Rng, UniformFillsTheUnitIntervalEvenly) {
  Rng rng(1, Purpose::kSubset);
  std::vector<int> bins(10);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++bins[static_cast<size_t>(x * 10)];
    sum += x;
  }
  for (const int bin : bins) EXPECT_NEAR(bin, 10'000, 500);
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Rng, BelowIsUniformForEveryBound) {
  Rng rng(2, Purpose::kSubset);
  for (const uint64_t n : {1u, 2u, 3u, 7u, 10u}) {
    std::vector<int> counts(n);
    for (int i = 0; i < 30'000; ++i) ++counts[rng.below(n)];
    for (const int count : counts)
      EXPECT_NEAR(count, 30'000.0 / n, 6 * std::sqrt(30'000.0 / n)) << n;
  }
  const uint64_t large = (uint64_t{1} << 63) + 1;  // the bound with the most rejections
  int upper = 0;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t x = rng.below(large);
    ASSERT_LT(x, large);
    upper += x >= large / 2;
  }
  EXPECT_NEAR(upper, 5'000, 300);
}

TEST(Rng, NormalHasTheMomentsOfTheStandardNormal) {
  Rng rng(3, Purpose::kInitialise);
  double sum = 0, squares = 0, fourth = 0;
  const int n = 200'000;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(fourth / n, 3, 0.12);
}

TEST(Rng, ShuffleIsAPermutationAndEveryPlaceIsEquallyLikely) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  Rng(4, Purpose::kShuffle).shuffle(shuffled);
  EXPECT_NE(shuffled, items);
  std::vector<int> again = items;
  Rng(4, Purpose::kShuffle).shuffle(again);
  EXPECT_EQ(again, shuffled);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), items.begin()));
  int counts[4][4] = {};
  for (uint64_t epoch = 0; epoch < 8'000; ++epoch) {
    std::vector<int> four = {0, 1, 2, 3};
    Rng(4, Purpose::kShuffle, epoch).shuffle(four);
    for (int place = 0; place < 4; ++place) ++counts[place][four[static_cast<size_t>(place)]];
  }
  for (const auto& row : counts) {
    for (const int count : row) EXPECT_NEAR(count, 2'000, 240);
  }
}

}  // namespace
}  // namespace contrastive
