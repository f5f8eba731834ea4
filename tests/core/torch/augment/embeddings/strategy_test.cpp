#include "core/torch/augment/embeddings/strategy.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "tests/core/torch/augment/statistics.h"
#include "tests/expect_error.h"

namespace contrastive::augment {
namespace {

using ::testing::HasSubstr;

TEST(Strategy, EveryNameWithItsOwnRate) {
  EXPECT_TRUE(parse_strategy("none", 0, "key").changes_nothing());
  EXPECT_TRUE(parse_strategy("shuffle", 0, "key").shuffle);
  EXPECT_TRUE(parse_strategy("adversarial", 0, "key").adversarial);
  const std::vector<std::pair<std::string, CutoffStep>> cutoffs = {
      {"token-cutoff", {Cutoff::kTokens, 0.15}},
      {"feature-cutoff", {Cutoff::kFeatures, 0.2}},
      {"span-cutoff", {Cutoff::kSpan, 0.15}},
      {"dropout", {Cutoff::kElements, 0.2}}};
  for (const auto& [name, step] : cutoffs) {
    const Strategy strategy = parse_strategy(name, 0, "key"),
                   with_rate = parse_strategy(name, 0.3, "key");
    ASSERT_EQ(strategy.cutoffs.size(), 1u) << name;
    EXPECT_EQ(strategy.cutoffs[0].kind, step.kind);
    EXPECT_EQ(strategy.cutoffs[0].rate, step.rate);
    EXPECT_EQ(with_rate.cutoffs[0].rate, 0.3);
    EXPECT_FALSE(strategy.shuffle || strategy.adversarial || strategy.changes_nothing());
  }
}

TEST(Strategy, SeveralOnOneView) {
  const Strategy strategy = parse_strategy("shuffle+token-cutoff+dropout", 0, "key");
  EXPECT_TRUE(strategy.shuffle);
  ASSERT_EQ(strategy.cutoffs.size(), 2u);
  EXPECT_EQ(strategy.cutoffs[0].kind, Cutoff::kTokens);
  EXPECT_EQ(strategy.cutoffs[1].kind, Cutoff::kElements);
}

TEST(Strategy, RefusesWhatDoesNotGoTogether) {
  for (const auto& [text, part] :
       std::vector<std::pair<std::string, std::string>>{{"tokencutoff",
                                                         "did you mean 'token-cutoff'"},
                                                        {"", "unknown strategy"},
                                                        {"shuffle+", "unknown strategy"},
                                                        {"shuffle+shuffle", "twice"},
                                                        {"none+shuffle", "complete view"},
                                                        {"shuffle+adversarial", "complete view"}}) {
    SCOPED_TRACE(text);
    const std::string message = expect_error(Status::kArgument, part, [&, text = text] {
      parse_strategy(text, 0, "consert.view2");
    });
    EXPECT_THAT(message, HasSubstr("consert.view2"));
  }
}

TEST(Strategy, ShuffledPlacesArePermutationsAndUniform) {
  constexpr int64_t kDraws = 20000, kLength = 8;
  std::vector<int64_t> hits(kLength * kLength);
  for (int64_t draw = 0; draw < kDraws; ++draw) {
    Rng rng(1, Purpose::kViewTwo, 0, static_cast<uint64_t>(draw));
    std::vector<int32_t> places = shuffled_places(kLength, rng);
    for (size_t i = 0; i < places.size(); ++i) ++hits[i * kLength + static_cast<size_t>(places[i])];
    std::sort(places.begin(), places.end());
    for (int32_t i = 0; i < kLength; ++i) EXPECT_EQ(places[static_cast<size_t>(i)], i);
  }
  const double expected = static_cast<double>(kDraws) / kLength,
               freedom = (kLength - 1) * (kLength - 1);
  double chi_square = 0;
  for (const int64_t n : hits)
    chi_square +=
        (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  // For a table of permutations, the sum is chi-square with (n - 1)^2 degrees of freedom, times n /
  // (n - 1).
  EXPECT_TRUE(is_chi_square(chi_square * (kLength - 1) / kLength, freedom));
}

// If all positions of each token are equally likely, orders need not be: random rotations would
// pass. So all 24 orders of four tokens are counted.
TEST(Strategy, EveryOrderIsAsLikelyAsAnyOther) {
  std::map<std::vector<int32_t>, int64_t> seen;
  for (uint64_t example = 0; example < 20000; ++example) {
    Rng rng(1, Purpose::kViewOne, 0, example);
    ++seen[shuffled_places(4, rng)];
  }
  EXPECT_TRUE(is_uniform(seen, 24));
}

TEST(Strategy, TheTwoViewsAreShuffledIndependently) {
  EXPECT_TRUE(views_are_independent([](Rng& rng) { return shuffled_places(4, rng); }));
}

TEST(Strategy, TwoTokensChangePlacesHalfOfTheTime) {
  int64_t swapped = 0;
  for (uint64_t example = 0; example < 10000; ++example) {
    Rng rng(1, Purpose::kViewOne, 0, example);
    swapped += shuffled_places(2, rng)[0];
  }
  EXPECT_NEAR(static_cast<double>(swapped), 5000, 250);
}

}  // namespace
}  // namespace contrastive::augment
