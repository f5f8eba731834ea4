// SentEval's early stopping for a classifier (core/torch/tasks/transfer/README.md). Its count of
// rounds without a better score is never reset.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace contrastive::eval {

class SentEvalStopping {
 public:
  explicit SentEvalStopping(int64_t tenacity) : tenacity_(tenacity) {}

  // Takes the score of one round. Returns true if it is the best so far, so that the caller keeps a
  // copy; NaN never is. After `tenacity` rounds without a better score, consecutive or not, the
  // next such round is the last.
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
