#include "core/torch/tasks/transfer/sts_supervised.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/correlation.h"
#include "core/torch/tensors/openmp.h"
#include "core/runtime/thread_pool.h"
#include "core/torch/tasks/transfer/probe_features.h"

namespace contrastive::eval {
namespace {

std::vector<double> expected_scores(const Probe& probe, const std::vector<const float*>& rows) {
  std::vector<float> p = probe.logits(rows);
  softmax_rows(p.data(), static_cast<int64_t>(rows.size()), kScoreClasses);
  std::vector<double> scores;
  for (size_t i = 0; i < rows.size(); ++i) {
    double score = 0;
    for (int64_t c = 0; c < kScoreClasses; ++c)
      score += static_cast<double>(c + 1) * p[i * kScoreClasses + c];
    scores.push_back(score);
  }
  return scores;
}

}  // namespace

std::vector<float> score_distribution(double score) {
  check(score >= 0 && score <= kScoreClasses, Status::kArgument, "score ", score,
        " is not between 0 and ", kScoreClasses);
  std::vector<float> p(kScoreClasses);
  const double below = std::floor(score);
  const auto index = static_cast<int64_t>(below) - 1;  // of the class `below`
  if (index >= 0) p[index] = static_cast<float>(below + 1 - score);
  if (index + 1 < kScoreClasses) p[index + 1] = static_cast<float>(score - below);
  return p;
}

FitOptions supervised_sts_defaults() {
  FitOptions options;
  options.epoch_size = 50;
  options.tenacity = 3;
  options.max_epoch = 1000;
  return options;
}

std::vector<SupervisedSts> evaluate_supervised_sts(const StsSubset& train, const StsSubset& dev,
                                                   const StsSubset& test,
                                                   const TextEncoder& encoder,
                                                   const FitOptions& options, double l2,
                                                   const std::vector<uint64_t>& seeds,
                                                   const Cancel* cancel) {
  std::vector<TextColumns> columns;
  for (const StsSubset* part : {&train, &dev, &test})
    columns.push_back({&part->first, &part->second});
  const ProbeFeatures features = embed_parts(columns, encoder);
  std::vector<std::vector<float>> targets;
  for (const double score : train.gold) targets.push_back(score_distribution(score));
  ProbeData data{features.width, kScoreClasses, features.rows[0], {}, {}};
  for (const auto& target : targets) data.targets.push_back(target.data());

  std::vector<SupervisedSts> results(seeds.size());
  runtime::parallel_for(static_cast<int64_t>(seeds.size()), [&](int64_t i) {
    tensors::compute_with_one_thread();
    const auto score = [&](const Probe& probe) {
      return pearson(expected_scores(probe, features.rows[1]), dev.gold);
    };
    const Fitted fitted = fit_probe(options, data, l2, score, seeds[i], cancel);
    const std::vector<double> predicted = expected_scores(fitted.probe, features.rows[2]);
    double squares = 0;
    for (size_t k = 0; k < predicted.size(); ++k)
      squares += (predicted[k] - test.gold[k]) * (predicted[k] - test.gold[k]);
    results[i] = {fitted.score,
                  {spearman(predicted, test.gold), pearson(predicted, test.gold)},
                  squares / static_cast<double>(predicted.size())};
  });
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (std::isnan(results[i].dev_pearson)) {
      log_warning("seed ", seeds[i],
                  ": no round of training had a correlation on the dev part (its scores or the "
                  "predictions are constant)");
    }
  }
  return results;
}

}  // namespace contrastive::eval
