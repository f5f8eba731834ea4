// How well predicted classes agree with the true ones. Labels are any whole numbers; both lists
// have one entry for each example. All functions: kMismatch if the lists differ in length; NaN if
// they are empty.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::eval {

// The share of examples whose class was predicted, in [0, 1].
double accuracy(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels);

// 2 TP / (2 TP + FP + FN) of class `positive`, in [0, 1]; 0 if that class neither occurs nor was
// predicted, as in scikit-learn.
double f1_score(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels,
                int64_t positive = 1);

// Matthews' correlation coefficient, for any number of classes (Gorodkin's R_K), in [-1, 1]; 0 if
// either list is constant, as in scikit-learn.
double matthews(const std::vector<int64_t>& predicted, const std::vector<int64_t>& labels);

}  // namespace contrastive::eval
