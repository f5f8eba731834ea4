// Supervised textual similarity, as in SentEval for STS-B and SICK-R: a softmax over the scores 1
// to 5 is fitted on [|a - b|, a * b], and the expected score is correlated with the gold score
// (core/eval/sts/README.md 3). Its figures are not comparable with the similarities of sts.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/eval/sts/sts.h"
#include "core/eval/text_encoder.h"
#include "core/torch/tasks/transfer/probe_fit.h"

namespace contrastive::eval {

constexpr int64_t kScoreClasses = 5;

// The distribution over the scores 1 to 5 whose expectation is `score`: a score between two whole
// numbers is split between them. Below 1 its sum is `score`, not 1, as in SentEval for STS-B's
// scores from 0 on. kArgument outside [0, 5].
std::vector<float> score_distribution(double score);

struct SupervisedSts {
  double dev_pearson = 0;  // NaN if no round had one: all dev predictions, or scores, were equal
  Correlation test;
  double test_mse = 0;
};

// SentEval's settings: epoch_size 50, tenacity 3, max_epoch 1000; Adam, batch 64, no weight decay.
FitOptions supervised_sts_defaults();

// Fits on `train`; Pearson's correlation on `dev` ends the training. A round in which it is not
// defined is never the best one (SentEval treats it as 0). If it is defined in no round, a warning
// says so and the classifier keeps its initial weights. One result for each seed.
std::vector<SupervisedSts> evaluate_supervised_sts(
    const StsSubset& train, const StsSubset& dev, const StsSubset& test, const TextEncoder& encoder,
    const FitOptions& options, double l2, const std::vector<uint64_t>& seeds, const Cancel* cancel);

}  // namespace contrastive::eval
