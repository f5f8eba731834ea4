// When a classifier's training ends (core/torch/tasks/transfer/README.md): SentEval's rule, whose
// count of rounds without a better score is never set back.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace contrastive::eval {

class SentEvalStopping {
 public:
  explicit SentEvalStopping(int64_t tenacity) : tenacity_(tenacity) {}

  // Takes the score of one round; true where it is above all before it, so that a copy is to be
  // kept; NaN never is. The round that finds `tenacity` rounds without a better score behind it, in
  // a row or not, is the last one.
  bool better(double score) {
    if (score > best_ || (std::isnan(best_) && !std::isnan(score))) {
      best_ = score;
      return true;
    }
    stopped_ = count_ >= tenacity_;
    ++count_;
    return false;
  }
  bool stopped() const { return stopped_; }
  double best() const { return best_; }  // NaN before the first number

 private:
  int64_t tenacity_, count_ = 0;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  bool stopped_ = false;
};

}  // namespace contrastive::eval
