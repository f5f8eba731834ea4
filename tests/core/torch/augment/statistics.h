// Chi-square tests of random draws: of probabilities, of uniform positions and of independence. The
// streams have fixed seeds, so results never change. Correct code exceeds a limit for one seed in a
// million.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::augment {

constexpr double kOneInAMillion = 4.753424;  // a normal variable is larger with probability 1e-6
constexpr double kFewest =
    5;  // expected draws of an outcome: with fewer, the sum is not chi-square distributed

// The quantile of chi-square that corresponds to `z` of a normal variable (Wilson and Hilferty,
// 1931). A little too large for few degrees of freedom.
inline double chi_square_at(double z, double freedom) {
  const double variance = 2 / (9 * freedom),
               root = std::max(0.0, 1 - variance + z * std::sqrt(variance));
  return freedom * root * root * root;
}

inline ::testing::AssertionResult is_chi_square(double sum, double freedom) {
  if (freedom < 1) return ::testing::AssertionFailure() << "every draw is the same";
  const double least = chi_square_at(-kOneInAMillion, freedom),
               most = chi_square_at(kOneInAMillion, freedom);
  if (sum >= least && sum <= most) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "chi-square is " << sum << ", by chance it is " << freedom
                                       << " and from " << least << " to " << most;
}

// One outcome per draw: tests how often each was seen against its probability. Outcomes that are
// too rare are tested together.
template <class Outcome>
::testing::AssertionResult has_shares(const std::map<Outcome, int64_t>& seen,
                                      const std::map<Outcome, double>& shares) {
  double draws = 0, whole = 0, sum = 0, rare = 0, rare_seen = 0, freedom = -1;
  for (const auto& [outcome, count] : seen) {
    if (shares.count(outcome) == 0)
      return ::testing::AssertionFailure()
             << ::testing::PrintToString(outcome) << " cannot be, but was drawn";
    draws += static_cast<double>(count);
  }
  const auto add = [&](double count, double expected) {
    sum += (count - expected) * (count - expected) / expected, ++freedom;
  };
  for (const auto& [outcome, share] : shares) {
    const auto found = seen.find(outcome);
    const double count = found == seen.end() ? 0 : static_cast<double>(found->second);
    whole += share;
    if (share * draws < kFewest) rare += share * draws, rare_seen += count;
    else add(count, share * draws);
  }
  if (std::abs(whole - 1) > 1e-9)
    return ::testing::AssertionFailure() << "the shares add up to " << whole;
  if (rare > 0) add(rare_seen, rare);
  return is_chi_square(sum, freedom);
}

// One outcome per draw, all equally likely.
template <class Outcome>
::testing::AssertionResult is_uniform(const std::map<Outcome, int64_t>& seen, size_t outcomes) {
  if (seen.size() != outcomes)
    return ::testing::AssertionFailure()
           << seen.size() << " outcomes were drawn, there are " << outcomes;
  std::map<Outcome, double> shares;
  for (const auto& [outcome, count] : seen) shares[outcome] = 1 / static_cast<double>(outcomes);
  return has_shares(seen, shares);
}

// The same number of different positions per draw, all equally likely. The positions of one draw
// exclude each other, which makes the sum smaller than chi-square by the share of positions drawn;
// the test divides by that.
inline ::testing::AssertionResult hits_evenly(const std::vector<int64_t>& hits, int64_t draws) {
  double total = 0, sum = 0;
  for (const int64_t n : hits) total += static_cast<double>(n);
  const auto places = static_cast<double>(hits.size());
  const double expected = total / places, part = expected / static_cast<double>(draws);
  for (const int64_t n : hits)
    sum += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) /
           (expected * (1 - part));
  return is_chi_square(sum * (places - 1) / places, places - 1);
}

// first[i] and second[i] are drawn together, each one of the outcomes 0 ... outcomes-1: tests their
// table against the product of its margins.
inline ::testing::AssertionResult are_independent(const std::vector<size_t>& first,
                                                  const std::vector<size_t>& second,
                                                  size_t outcomes) {
  const auto draws = static_cast<double>(first.size());
  if (kFewest * static_cast<double>(outcomes * outcomes) > draws)
    return ::testing::AssertionFailure() << outcomes << " outcomes are too many";
  std::vector<double> rows(outcomes), columns(outcomes), table(outcomes * outcomes);
  for (size_t i = 0; i < first.size(); ++i)
    ++rows[first[i]], ++columns[second[i]], ++table[first[i] * outcomes + second[i]];
  double sum = 0;
  for (size_t row = 0; row < outcomes; ++row) {
    for (size_t column = 0; column < outcomes; ++column) {
      const double expected = rows[row] * columns[column] / draws,
                   off = table[row * outcomes + column] - expected;
      if (expected < kFewest)
        return ::testing::AssertionFailure()
               << "an outcome is too rare: " << rows[row] << " and " << columns[column];
      sum += off * off / expected;
    }
  }
  return is_chi_square(sum, static_cast<double>((outcomes - 1) * (outcomes - 1)));
}

// Tests that `outcome(rng)` depends only on a view's stream, and is independent of the other view
// of the text, the views of the next text, and other epochs.
template <class Outcome>
::testing::AssertionResult views_are_independent(const Outcome& outcome, uint64_t draws = 20000) {
  std::map<decltype(outcome(std::declval<Rng&>())), size_t> numbers;
  const auto stream = [&](Purpose view, uint64_t epoch) {
    std::vector<size_t> drawn;
    for (uint64_t example = 0; example < draws; ++example) {
      Rng rng(7, view, epoch, example);
      drawn.push_back(numbers.emplace(outcome(rng), numbers.size()).first->second);
    }
    return drawn;
  };
  const auto of_next_text = [](std::vector<size_t> drawn) {
    std::rotate(drawn.begin(), drawn.begin() + 1, drawn.end());
    return drawn;
  };
  const std::vector<size_t> one = stream(Purpose::kViewOne, 3), two = stream(Purpose::kViewTwo, 3),
                            later = stream(Purpose::kViewOne, 4);
  if (stream(Purpose::kViewOne, 3) != one)
    return ::testing::AssertionFailure() << "the same stream gives something else";
  for (const auto& [first, second, what] :
       {std::tuple(one, two, "the two views of a text"),
        std::tuple(one, of_next_text(one), "the first views of two texts"),
        std::tuple(one, of_next_text(two), "view one, and view two of the next text"),
        std::tuple(two, of_next_text(one), "view two, and view one of the next text"),
        std::tuple(one, later, "two epochs")}) {
    ::testing::AssertionResult result = are_independent(first, second, numbers.size());
    if (!result) return result << ": " << what;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace contrastive::augment
