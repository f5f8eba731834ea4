#include "core/eval/retrieval/binary_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/eval/classification_metrics.h"
#include "core/eval/undefined.h"

namespace contrastive::eval {
namespace {

// Calls body(taken, positives among them, threshold) for each threshold that selects a pair, from
// the highest down.
template <class Body>
void for_each_threshold(std::vector<Scored>& scored, const Body& body) {
  for (const Scored& one : scored)
    check(std::isfinite(one.score), Status::kNumeric,
          "the similarity of a pair is NaN or infinite");
  std::sort(scored.begin(), scored.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });
  int64_t positives = 0;
  for (size_t i = 0; i < scored.size(); ++i) {
    positives += scored[i].positive ? 1 : 0;
    const bool last = i + 1 == scored.size();
    if (!last && scored[i + 1].score == scored[i].score) continue;
    double threshold = scored[i].score;
    if (!last) threshold += (scored[i + 1].score - threshold) / 2;
    if (!last && threshold == scored[i + 1].score)
      threshold = scored[i].score;  // neighbouring floats have no midpoint
    body(static_cast<int64_t>(i) + 1, positives, threshold);
  }
}

}  // namespace

BestF1 best_f1(std::vector<Scored> scored, int64_t positives) {
  const auto there =
      std::count_if(scored.begin(), scored.end(), [](const Scored& one) { return one.positive; });
  check(positives >= there, Status::kArgument, positives, " positives in all, and ", there,
        " of them scored");
  if (positives == 0) return {kUndefined, kUndefined, kUndefined, kUndefined, kUndefined};
  BestF1 best;
  best.threshold = kUndefined;
  int64_t before = 0;
  for_each_threshold(scored, [&](int64_t taken, int64_t found, double threshold) {
    if (found == before) return;  // only worse than the threshold before
    const double precision = static_cast<double>(found) / static_cast<double>(taken);
    const double recall = static_cast<double>(found) / static_cast<double>(positives),
                 f1 = 2 * precision * recall / (precision + recall);
    best.average_precision +=
        precision * static_cast<double>(found - before) / static_cast<double>(positives);
    before = found;
    if (f1 <= best.f1) return;
    best.f1 = f1;
    best.precision = precision;
    best.recall = recall;
    best.threshold = threshold;
  });
  return best;
}

BestAccuracy best_accuracy(std::vector<Scored> scored) {
  check(!scored.empty(), Status::kArgument, "no pair to be right about");
  const auto all = static_cast<int64_t>(scored.size());
  const auto positives =
      std::count_if(scored.begin(), scored.end(), [](const Scored& one) { return one.positive; });
  double highest = -std::numeric_limits<double>::infinity();
  for (const Scored& one : scored) highest = std::max(highest, one.score);
  int64_t right = all - positives;
  BestAccuracy best{0, std::nextafter(highest, std::numeric_limits<double>::infinity())};
  for_each_threshold(scored, [&](int64_t taken, int64_t found, double threshold) {
    const int64_t now = found + (all - positives) - (taken - found);
    if (now <= right) return;
    right = now;
    best.threshold = threshold;
  });
  best.accuracy = static_cast<double>(right) / static_cast<double>(all);
  return best;
}

double matthews_at(const std::vector<Scored>& scored, double threshold) {
  std::vector<int64_t> called, labels;
  for (const Scored& one : scored) {
    called.push_back(one.score >= threshold ? 1 : 0);
    labels.push_back(one.positive ? 1 : 0);
  }
  return matthews(called, labels);
}

}  // namespace contrastive::eval
