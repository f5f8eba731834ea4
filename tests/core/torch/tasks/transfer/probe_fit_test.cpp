#include "core/torch/tasks/transfer/probe_fit.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "tests/core/eval/files.h"
#include "tests/core/torch/tasks/transfer/blobs.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(ProbeFit, KeepsTheWeightsThatScoredBest) {
  const Blobs blobs(40, 3, 1.0, 1);
  FitOptions options;
  options.tenacity = 1;
  options.epoch_size = 2;
  std::vector<std::vector<float>> seen;
  const std::vector<double> scores = {.3, .6, .5, .7, .7, .9};
  const Fitted fitted = fit_probe(
      options, blobs.data(), 0,
      [&](const Probe& probe) {
        seen.push_back(probe.weights());
        return scores.at(seen.size() - 1);
      },
      1, nullptr);
  EXPECT_EQ(seen.size(), 5u) << "the second round that is not better is the last";
  EXPECT_EQ(fitted.score, .7);
  EXPECT_EQ(fitted.probe.weights(), seen[3]);
}

TEST(ProbeFit, NoRoundBeginsAfterMaxEpochPasses) {
  const Blobs blobs(20, 2, 1.0, 1);
  FitOptions options;
  options.epoch_size = 4;
  for (const auto& [max_epoch, rounds] :
       {std::pair(0, 1), std::pair(3, 1), std::pair(4, 2), std::pair(10, 3)}) {
    options.max_epoch = max_epoch;
    int count = 0;
    fit_probe(options, blobs.data(), 0, [&](const Probe&) { return ++count; }, 1, nullptr);
    EXPECT_EQ(count, rounds) << max_epoch;
  }
}

TEST(ProbeFit, TellsApartWhatLiesApart) {
  const Blobs train(300, 4, 0.2, 1), dev(100, 4, 0.2, 2), test(200, 4, 0.2, 3);
  for (const int64_t nhid : {0, 10}) {
    for (const char* optimizer : {"adam", "rmsprop"}) {
      FitOptions options;
      options.nhid = nhid;
      options.optimizer = optimizer;
      options.lr = 0.02;
      const Fitted fitted = fit_classifier(options, train.data(), dev.data(), 1e-4, 1, nullptr);
      EXPECT_GT(fitted.score, 0.97);
      int64_t right = 0;
      const std::vector<int64_t> predicted = fitted.probe.predict(test.data().rows);
      for (size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == test.data().labels[i];
      EXPECT_GT(right, 194) << nhid;
    }
  }
}

TEST(ProbeFit, DefaultRatesAreTheOptimisers) {
  FitOptions options;
  EXPECT_EQ(options.learning_rate(), 1e-3);
  options.optimizer = "rmsprop";
  EXPECT_EQ(options.learning_rate(), 1e-2);
  options.lr = 0.5;
  EXPECT_EQ(options.learning_rate(), 0.5);
}

TEST(ProbeFit, CanBeCancelledAndWantsADevPart) {
  const Blobs blobs(20, 2, 1.0, 1);
  Cancel cancel;
  expect_error(Status::kArgument, "no example is held out to tell when the training",
               [&] { fit_classifier({}, blobs.data(), {2, 2, {}, {}, {}}, 0, 1, nullptr); });
  int rounds = 0;
  expect_error(Status::kCancelled, "cancelled", [&] {
    fit_probe(
        {}, blobs.data(), 0,
        [&](const Probe&) {
          cancel.trigger();
          return ++rounds;
        },
        1, &cancel);
  });
  EXPECT_EQ(rounds, 1);
}

}  // namespace
}  // namespace contrastive::eval
