// The figures that were measured on one set of weights, for the card of the saved model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::run {

struct Score {
  std::string figure;   // "dev", "sts.spearman.all"
  std::string measure;  // "spearman"
  std::string
      data;  // the file it was measured on, without its folders; "" if there is no single one
  double value = 0;
};

class Scores {
 public:
  // Figures of an earlier update are dropped, because they are of other weights. Values that are
  // not finite or beyond 1e9 are left out.
  void add(int64_t step, Score score);
  int64_t step() const { return step_; }  // -1: nothing was measured
  const std::vector<Score>& all() const { return scores_; }

  Json state() const;
  void restore(const Json& state);  // kFormat

 private:
  int64_t step_ = -1;
  std::vector<Score> scores_;
};

}  // namespace contrastive::run
