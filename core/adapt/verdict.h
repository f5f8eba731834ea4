// Decides whether the adapted model is better than the start model: gains on the same queries,
// their confidence intervals, and the decision.
#pragma once

#include <array>
#include <string>

#include "core/adapt/adapt_options.h"
#include "core/adapt/search_test.h"
#include "core/base/json.h"
#include "core/eval/bootstrap.h"

namespace contrastive::adapt {

struct Verdict {
  std::array<eval::Interval, kSearchMetrics.size()> gains;
  bool ship = false;
  std::string reason;  // a sentence: why the model is written, or not

  // {metric: {"before", "after", "gain", "low", "high", "significant"}}
  Json figures(const SearchFigures& before, const SearchFigures& after) const;
};

Verdict decide(const SearchFigures& before, const SearchFigures& after, const AdaptOptions& options,
               const Cancel* cancel = nullptr);

// The queries of the deciding metric's largest gains ("better") and losses ("worse"), `count` of
// each at most:
// {"query", "answers", "gain", "rank_before", "rank_after", "first_before", "first_after"}; a rank
// is null beyond kDeepestRank.
Json best_and_worst(const SearchTest& test, const SearchFigures& before, const SearchFigures& after,
                    size_t metric, int64_t count);

}  // namespace contrastive::adapt
