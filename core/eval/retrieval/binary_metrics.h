// How well a score tells the pairs that belong together from the others, at the best threshold and
// over all of them. Texts and models are the business of pairs.h and paraphrases.h.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::eval {

struct Scored {
  double score = 0;  // higher: more alike
  bool positive = false;
};

// All thresholds are tried that can be had: equal scores fall on one side together, and all or none
// may be called positive. A pair is called positive when its score is at least the threshold, which
// lies in the middle of the two scores it parts.
struct BestF1 {
  double f1 = 0, precision = 0,
         recall = 0;  // 0 where no positive was scored, NaN where there is none at all
  double threshold = 0;
  double average_precision =
      0;  // sum over thresholds of (recall - recall before) * precision, as scikit-learn has it
};

struct BestAccuracy {
  double accuracy = 0;
  double threshold = 0;  // the next number above all scores where calling none positive is best
};

// `positives`: how many there are, those that were never scored too. kNumeric for a score that is
// NaN or infinite; kArgument for fewer positives than scored ones.
BestF1 best_f1(std::vector<Scored> scored, int64_t positives);
BestAccuracy best_accuracy(std::vector<Scored> scored);

// Matthews correlation of the labels with "score is at least `threshold`"; 0 where either is
// constant, as scikit-learn has it.
double matthews_at(const std::vector<Scored>& scored, double threshold);

}  // namespace contrastive::eval
