// Chooses which candidates of one query become its negatives: filters, the range of ranks, and
// sampling. A pure function of numbers, computed in float32, step by step as in
// sentence-transformers' mine_hard_negatives, so that the same vectors give the same negatives.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mining/mining_options.h"

namespace contrastive::mining {

// Each candidate is counted once: under the first filter, in this order, that removes it.
struct FilterCounts {
  int64_t candidates = 0;
  int64_t positive = 0;  // a positive of the query
  int64_t equal_text =
      0;  // the text of a positive, or of the query itself, once both are normalised
  int64_t absolute_margin = 0, relative_margin = 0, max_score = 0, min_score = 0;

  int64_t left() const {
    return candidates - positive - equal_text - absolute_margin - relative_margin - max_score -
           min_score;
  }
  void add(const FilterCounts& other);
  Json to_json() const;
};

enum class Kinship { kNone, kPositive, kEqualText };

struct Candidate {
  int64_t document;
  float score;
  Kinship kinship;
};

struct Negative {
  int64_t document;
  float score;
  int64_t rank;  // from 0, among the candidates that pass the filters
};

// `candidates` in any order; among equal scores the earlier one ranks first. `least_positive`: the
// smallest score of the query's positives. Returns at most num_negatives, best first. `query` is
// the counter of the random draws.
std::vector<Negative> select_negatives(const std::vector<Candidate>& candidates,
                                       float least_positive, const MiningOptions& options,
                                       int64_t last_rank, int64_t query, FilterCounts& counts);

}  // namespace contrastive::mining
