// How a probe's l2 is chosen and its test accuracy measured (core/torch/tasks/transfer/README.md):
// by nested cross-validation, by cross-validation of the training part, or on a given dev part.
// Fits run concurrently; results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/torch/tasks/transfer/probe_fit.h"

namespace contrastive::eval {

struct ProtocolOptions {
  FitOptions fit;
  int64_t kfold = 10;
  std::vector<double> l2 = {1e-5, 1e-4, 1e-3, 1e-2};  // not empty
};

// Accuracies in [0, 1].
struct ProtocolResult {
  double dev = 0;  // accuracy of the chosen l2 on the examples that were held out to choose it
  double test = 0;
  std::vector<int64_t>
      predicted;  // the class of each test example; of each example in nested cross-validation
};

// The share of the training examples that is held out to end the training of the final classifier,
// if there is no dev part.
constexpr double kStoppingShare = 0.05;

// Uses each of `kfold` stratified folds as the test part once. On the rest, stratified `kfold`-fold
// cross-validation chooses l2, and the classifier is trained again with 5 % held out. dev and test
// are means over the outer folds.
ProtocolResult nested_cross_validation(const ProtocolOptions& options, const ProbeData& data,
                                       uint64_t seed, const Cancel* cancel);

// Stratified `kfold`-fold cross-validation of `train` chooses l2, and the classifier is trained
// again with 5 % held out.
ProtocolResult cross_validation(const ProtocolOptions& options, const ProbeData& train,
                                const ProbeData& test, uint64_t seed, const Cancel* cancel);

// `dev` chooses l2 and ends the training.
ProtocolResult given_dev(const ProtocolOptions& options, const ProbeData& train,
                         const ProbeData& dev, const ProbeData& test, uint64_t seed,
                         const Cancel* cancel);

}  // namespace contrastive::eval
