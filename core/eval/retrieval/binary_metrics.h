// How well a score separates pairs that belong together from others, at the best threshold and over
// all thresholds.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::eval {

struct Scored {
  double score = 0;  // higher means more similar
  bool positive = false;
};

// All possible thresholds are tried: equal scores are always on the same side, and all or none may
// be called positive. A pair is called positive if its score is at least the threshold, which is
// the midpoint of the two scores that it separates.
struct BestF1 {
  double f1 = 0, precision = 0,
         recall = 0;  // 0 if no positive was scored, NaN if the data has no positives
  double threshold = 0;
  double average_precision =
      0;  // sum over thresholds of (recall - recall before) * precision, as scikit-learn has it
};

struct BestAccuracy {
  double accuracy = 0;
  double threshold = 0;  // the next number above all scores if calling none positive is best
};

// `positives`: their number, including those that were not scored. kNumeric for a score that is NaN
// or infinite; kArgument if there are fewer positives than scored ones.
BestF1 best_f1(std::vector<Scored> scored, int64_t positives);
BestAccuracy best_accuracy(std::vector<Scored> scored);

// Matthews correlation of the labels with "score is at least `threshold`"; 0 if either is constant,
// as in scikit-learn.
double matthews_at(const std::vector<Scored>& scored, double threshold);

}  // namespace contrastive::eval
