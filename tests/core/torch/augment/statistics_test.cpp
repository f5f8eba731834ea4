// The statistical tests detect wrong draws and accept right ones.
#include "tests/core/torch/augment/statistics.h"

#include <gmock/gmock.h>

#include <string>

namespace contrastive::augment {
namespace {

using ::testing::HasSubstr;

// For each of 12000 streams a number below `sides`, which `bend` makes from its draw.
template <class Bend>
std::vector<size_t> thrown(uint64_t sides, uint64_t seed, const Bend& bend) {
  std::vector<size_t> numbers;
  for (uint64_t example = 0; example < 12000; ++example)
    numbers.push_back(
        static_cast<size_t>(bend(Rng(seed, Purpose::kSubset, 0, example).below(sides))));
  return numbers;
}

std::vector<size_t> thrown(uint64_t sides, uint64_t seed) {
  return thrown(sides, seed, [](uint64_t number) { return number; });
}

std::map<size_t, int64_t> tally(const std::vector<size_t>& numbers) {
  std::map<size_t, int64_t> seen;
  for (const size_t number : numbers) ++seen[number];
  return seen;
}

TEST(Statistics, LimitsAreTheQuantilesOfChiSquare) {
  for (const auto& [freedom, least, most] :
       {std::tuple(14, 1.000, 54.635), std::tuple(30, 6.200, 82.044),
        std::tuple(500, 363.803, 664.958)}) {
    EXPECT_NEAR(chi_square_at(kOneInAMillion, freedom), most, 0.02 * most);
    EXPECT_NEAR(chi_square_at(-kOneInAMillion, freedom), least, 0.3);
  }
  EXPECT_GE(chi_square_at(kOneInAMillion, 2), 27.631) << "too wide, never too narrow";
}

TEST(Statistics, FairDrawsPassWhateverTheSeed) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<size_t> one = thrown(12, seed), two = thrown(12, seed + 1000);
    EXPECT_TRUE(is_uniform(tally(one), 12)) << seed;
    EXPECT_TRUE(are_independent(one, two, 12)) << seed;
  }
}

TEST(Statistics, FindsWhatIsNotUniform) {
  EXPECT_FALSE(is_uniform(tally(thrown(11, 1)), 12)) << "the last is never drawn";
  EXPECT_FALSE(is_uniform(
      tally(thrown(12, 1, [](uint64_t number) { return std::min<uint64_t>(number, 10); })), 11))
      << "the last is drawn twice as often";
  EXPECT_FALSE(is_uniform(tally(thrown(120, 1,
                                       [](uint64_t number) {
                                         return number < 108 ? number % 12 : number % 6;
                                       })),
                          12))
      << "half are likelier";
  std::map<size_t, int64_t> even;
  for (size_t i = 0; i < 12; ++i) even[i] = 1000;
  EXPECT_FALSE(is_uniform(even, 12)) << "as often as if they were counted out";
}

TEST(Statistics, FindsOtherShares) {
  const std::map<size_t, double> shares = {{0, 0.5}, {1, 0.3}, {2, 0.2 - 1e-7}, {3, 1e-7}};
  const auto bend = [](uint64_t number) { return number < 5 ? 0 : number < 8 ? 1 : 2; };
  const auto seen = tally(thrown(10, 1, bend));
  EXPECT_TRUE(has_shares(seen, shares));
  auto rare = seen;
  rare[3] = 2;
  EXPECT_FALSE(has_shares(rare, shares)) << "a very rare outcome came twice";
  EXPECT_FALSE(has_shares(seen, std::map<size_t, double>{{0, 0.5}, {1, 0.5}}))
      << "an impossible outcome came";
  EXPECT_FALSE(has_shares(seen, std::map<size_t, double>{{0, 0.47}, {1, 0.33}, {2, 0.2}}));
}

TEST(Statistics, FindsPlacesThatAreHitMoreOften) {
  std::vector<int64_t> even(10), blocks(10);
  for (const size_t place : thrown(10, 1)) ++even[place], ++even[(place + 5) % 10];
  for (const size_t place : thrown(9, 2)) ++blocks[place], ++blocks[place + 1];
  EXPECT_TRUE(hits_evenly(even, 12000))
      << "it does not detect dependent positions; is_uniform over all sets does";
  EXPECT_FALSE(hits_evenly(blocks, 12000))
      << "the first and the last position are in one block each, the others in two";
}

TEST(Statistics, FindsWhatTwoStreamsHaveInCommon) {
  const std::vector<size_t> one = thrown(12, 1);
  EXPECT_FALSE(are_independent(one, one, 12)) << "one stream";
  EXPECT_FALSE(are_independent(one,
                               thrown(12, 1, [](uint64_t number) { return (number * 5 + 1) % 12; }),
                               12))
      << "one stream, transformed";
  std::vector<size_t> tenth = thrown(12, 2);
  for (size_t i = 0; i < tenth.size(); i += 10) tenth[i] = one[i];
  EXPECT_FALSE(are_independent(one, tenth, 12)) << "one draw of ten is the other's";
  EXPECT_FALSE(are_independent(one, thrown(200, 3), 200)) << "too many outcomes to decide";
}

TEST(Statistics, FindsViewsTextsAndEpochsThatShareADraw) {
  // The test reads streams of 20000 texts each, in this order: view one, view two, view one in
  // another epoch, and view one again. Each gets a draw by its number.
  const auto found = [](const auto& number_of) {
    uint64_t call = 0;
    const ::testing::AssertionResult result = views_are_independent([&](Rng&) {
      const uint64_t stream = call / 20000 % 3, text = call % 20000;
      ++call;
      return Rng(1, Purpose::kSubset, 0, number_of(stream, text)).below(6);
    });
    return std::string(result.message());
  };
  uint64_t next = 0;
  EXPECT_EQ(found([](uint64_t stream, uint64_t text) { return 30000 * stream + text; }), "");
  EXPECT_THAT(found([&](uint64_t, uint64_t) { return next++; }),
              HasSubstr("the same stream gives something else"));
  EXPECT_THAT(found([](uint64_t stream, uint64_t text) { return 30000 * (stream / 2) + text; }),
              HasSubstr("the two views of a text"));
  EXPECT_THAT(found([](uint64_t stream, uint64_t text) { return 30000 * stream + text / 2; }),
              HasSubstr("the first views of two texts"));
  EXPECT_THAT(found([](uint64_t stream, uint64_t text) {
                return stream == 0 ? text + 1 : 30000 * stream - 30000 + text;
              }),
              HasSubstr("view one, and view two of the next text"));
  EXPECT_THAT(found([](uint64_t stream, uint64_t text) {
                return stream == 1 ? text + 1 : 30000 * stream + text;
              }),
              HasSubstr("view two, and view one of the next text"));
  EXPECT_THAT(found([](uint64_t stream, uint64_t text) { return 30000 * (stream % 2) + text; }),
              HasSubstr("two epochs"));
}

}  // namespace
}  // namespace contrastive::augment
