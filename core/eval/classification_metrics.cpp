#include "core/eval/classification_metrics.h"

#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/eval/undefined.h"

namespace contrastive::eval {
namespace {

void check_lengths(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels) {
  check(predicted.size() == labels.size(), Status::kMismatch, predicted.size(),
        " predicted classes for ", labels.size(), " examples");
}

}  // namespace

double accuracy(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels) {
  check_lengths(predicted, labels);
  int64_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) right += predicted[i] == labels[i];
  return static_cast<double>(right) /
         static_cast<double>(labels.size());  // 0 / 0 gives the intended NaN
}

double f1_score(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels,
                int64_t positive) {
  check_lengths(predicted, labels);
  if (labels.empty()) return kUndefined;
  int64_t both = 0, either = 0;  // TP, and 2 TP + FP + FN
  for (size_t i = 0; i < labels.size(); ++i) {
    both += predicted[i] == positive && labels[i] == positive;
    either += (predicted[i] == positive) + (labels[i] == positive);
  }
  return either == 0 ? 0 : 2 * static_cast<double>(both) / static_cast<double>(either);
}

double matthews(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels) {
  check_lengths(predicted, labels);
  if (labels.empty()) return kUndefined;
  struct Count {
    double predicted = 0, labels = 0;
  };
  std::map<int64_t, Count> counts;
  double right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    ++counts[predicted[i]].predicted;
    ++counts[labels[i]].labels;
    right += predicted[i] == labels[i];
  }
  // Covariances of the indicator vectors, times n^2.
  const double n = static_cast<double>(labels.size());
  double covariance = right * n, of_predicted = n * n, of_labels = n * n;
  for (const auto& [label, count] : counts) {
    covariance -= count.predicted * count.labels;
    of_predicted -= count.predicted * count.predicted;
    of_labels -= count.labels * count.labels;
  }
  if (of_predicted == 0 || of_labels == 0) return 0;  // exact: whole numbers below 2^53
  return covariance / (std::sqrt(of_predicted) * std::sqrt(of_labels));
}

}  // namespace contrastive::eval
