#include "core/mining/negative_selection.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/base/sample.h"

namespace contrastive::mining {
namespace {

// The bounds as float32, which the scores are.
class Filters {
 public:
  Filters(const MiningOptions& options, float least_positive)
      : options_(options), least_positive_(least_positive) {
    // Subtracted instead of multiplied by 1 - margin, which would pass more candidates if the
    // positive's score is negative.
    const float share = std::fabs(least_positive) * static_cast<float>(options.relative_margin);
    most_ = least_positive - share;
  }

  // The counter of the filter that removes `score`; nullptr if none does.
  int64_t* taken_by(float score, FilterCounts& counts) const {
    if (options_.has_absolute_margin() &&
        score + static_cast<float>(options_.absolute_margin) > least_positive_)
      return &counts.absolute_margin;
    if (options_.has_relative_margin() && score > most_) return &counts.relative_margin;
    if (options_.has_max_score() && score > static_cast<float>(options_.max_score))
      return &counts.max_score;
    if (options_.has_min_score() && score < static_cast<float>(options_.min_score))
      return &counts.min_score;
    return nullptr;
  }

 private:
  const MiningOptions& options_;
  float least_positive_, most_;
};

}  // namespace

void FilterCounts::add(const FilterCounts& other) {
  candidates += other.candidates;
  positive += other.positive;
  equal_text += other.equal_text;
  absolute_margin += other.absolute_margin;
  relative_margin += other.relative_margin;
  max_score += other.max_score;
  min_score += other.min_score;
}

Json FilterCounts::to_json() const {
  Json json = Json::object();
  json["positive"] = positive;
  json["equal_text"] = equal_text;
  json["absolute_margin"] = absolute_margin;
  json["relative_margin"] = relative_margin;
  json["max_score"] = max_score;
  json["min_score"] = min_score;
  return json;
}

std::vector<Negative> select_negatives(const std::vector<Candidate>& candidates,
                                       float least_positive, const MiningOptions& options,
                                       int64_t last_rank, int64_t query, FilterCounts& counts) {
  const Filters filters(options, least_positive);
  std::vector<Negative> left;
  for (const Candidate& candidate : candidates) {
    ++counts.candidates;
    int64_t* const count = candidate.kinship == Kinship::kPositive ? &counts.positive
                           : candidate.kinship == Kinship::kEqualText
                               ? &counts.equal_text
                               : filters.taken_by(candidate.score, counts);
    if (count != nullptr) ++*count;
    else left.push_back({candidate.document, candidate.score, 0});
  }
  std::stable_sort(left.begin(), left.end(),
                   [](const Negative& a, const Negative& b) { return a.score > b.score; });
  for (size_t i = 0; i < left.size(); ++i) left[i].rank = static_cast<int64_t>(i);
  const int64_t end = std::min(last_rank, static_cast<int64_t>(left.size())),
                options_left = end - options.range_min;
  std::vector<Negative> chosen;
  if (options_left <= 0) return chosen;
  if (options.sampling == Sampling::kRandom && options_left > options.num_negatives) {
    Rng rng(static_cast<uint64_t>(options.seed), Purpose::kMining, 0, static_cast<uint64_t>(query));
    for (const int64_t place : choose(options_left, options.num_negatives, rng))
      chosen.push_back(left[static_cast<size_t>(options.range_min + place)]);
    return chosen;
  }
  const auto begin = left.begin() + options.range_min;
  chosen.assign(begin, begin + std::min(options_left, options.num_negatives));
  return chosen;
}

}  // namespace contrastive::mining
