// Tracks the best dev score, and decides when to stop early. A score that is NaN (constant
// predictions have no correlation) is worse than any other: it is never the best, and it uses up
// patience under both rules, so that a collapsed run ends.
#pragma once

#include <cstdint>
#include <limits>

#include "core/base/json.h"

namespace contrastive::run {

// kBest counts evaluations without a new best, and resets at each new best (ConSERT). kPrevious
// counts evaluations below the previous one, and never resets (SG-OPT).
enum class StopRule { kBest, kPrevious };

class EarlyStopping {
 public:
  EarlyStopping(StopRule rule, int64_t patience)
      : rule_(rule), patience_(patience) {}  // patience 0: never stop

  // Adds the score of `step`. True if it is strictly better than all before.
  bool offer(double score, int64_t step);
  bool exhausted() const { return patience_ > 0 && strikes_ >= patience_; }

  double best() const { return best_; }             // NaN before the first number
  int64_t best_step() const { return best_step_; }  // -1 before
  double last() const { return last_; }
  Json state() const;
  void restore(const Json& state);

 private:
  StopRule rule_;
  int64_t patience_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  double last_ = std::numeric_limits<double>::quiet_NaN();
  double previous_ = std::numeric_limits<double>::quiet_NaN();  // the last one that is a number
  int64_t best_step_ = -1;
  int64_t strikes_ = 0;
};

}  // namespace contrastive::run
