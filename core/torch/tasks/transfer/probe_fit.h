// Trains a probe until a score on held-out examples stops rising
// (core/torch/tasks/transfer/README.md), and the settings for that.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/torch/tasks/transfer/probe.h"

namespace contrastive::eval {

struct FitOptions {
  std::string optimizer = "adam";  // or rmsprop
  double lr = 0;                   // 0: the optimiser's own default in PyTorch
  int64_t batch_size = 64;
  int64_t epoch_size = 4;
  int64_t tenacity = 5;
  int64_t max_epoch = 200;
  int64_t nhid = 0;
  double dropout = 0;

  void visit(OptionVisitor& v);
  optim::OptimizerOptions optimizer_options(double l2) const;
  double learning_rate() const;
};

struct Fitted {
  Probe probe;       // with the weights that scored best
  double score = 0;  // its score; NaN if no round had one
};

// Makes rounds of `epoch_size` passes over the training rows, each in a new order, and computes a
// score after each. The best weights are kept. Training ends by the rule of senteval_stopping.h, or
// after more than `max_epoch` passes. `l2` is weight decay in torch's coupled form. All draws
// follow from `seed`: two fits on the same number of rows see them in the same orders. kCancelled
// between rounds.
Fitted fit_probe(const FitOptions& options, const ProbeData& train, double l2,
                 const std::function<double(const Probe&)>& score, uint64_t seed,
                 const Cancel* cancel);

// The same, with the accuracy on `dev` as the score.
Fitted fit_classifier(const FitOptions& options, const ProbeData& train, const ProbeData& dev,
                      double l2, uint64_t seed, const Cancel* cancel);

}  // namespace contrastive::eval
