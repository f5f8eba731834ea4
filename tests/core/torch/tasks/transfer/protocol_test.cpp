#include "core/torch/tasks/transfer/protocol.h"

#include <gtest/gtest.h>

#include "core/runtime/threads.h"
#include "tests/core/eval/files.h"
#include "tests/core/torch/tasks/transfer/blobs.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

ProtocolOptions quick() {
  ProtocolOptions options;
  options.kfold = 3;
  options.fit.lr = 0.05;
  options.fit.tenacity = 1;
  options.fit.max_epoch = 40;
  options.l2 = {1e-4, 1e-2};
  return options;
}

// All three protocols on one set of points, of which the best possible classifier gets some 8 %
// wrong (the distance of the corners is sqrt(2), their spread 0.5).
std::vector<ProtocolResult> run_all(const ProtocolOptions& options, uint64_t seed) {
  static const Blobs train(240, 2, 0.5, 1), dev(120, 2, 0.5, 2), test(300, 2, 0.5, 3);
  return {nested_cross_validation(options, train.data(), seed, nullptr),
          cross_validation(options, train.data(), test.data(), seed, nullptr),
          given_dev(options, train.data(), dev.data(), test.data(), seed, nullptr)};
}

TEST(Protocol, MeasuresWhatCanBeToldApart) {
  const std::vector<ProtocolResult> results = run_all(quick(), 1);
  const std::vector<size_t> examples = {240, 300, 300};
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_GT(results[i].test, 0.86) << i;
    EXPECT_LT(results[i].test, 0.98) << i;
    EXPECT_GT(results[i].dev, 0.86) << i;
    ASSERT_EQ(results[i].predicted.size(), examples[i]);
    double right = 0;  // of the classes in turn
    for (size_t k = 0; k < examples[i]; ++k)
      right += results[i].predicted[k] == static_cast<int64_t>(k % 2);
    EXPECT_NEAR(results[i].test, right / static_cast<double>(examples[i]), 1e-12)
        << i;  // the folds are of one size
  }
}

TEST(Protocol, LabelsAtRandomCannotBeLearnt) {
  Blobs blobs(300, 2, 0.5, 4);
  ProbeData data = blobs.data();
  Rng rng(5, Purpose::kSubset);
  rng.shuffle(data.labels);
  EXPECT_NEAR(nested_cross_validation(quick(), data, 1, nullptr).test, 0.5, 0.12)
      << "a test example was used in training";
}

TEST(Protocol, IsAFunctionOfTheSeedAndNotOfTheThreads) {
  const int threads = runtime::threads();
  std::vector<std::vector<ProtocolResult>> runs;
  for (const int count : {1, 3}) {
    runtime::set_threads(count);
    runs.push_back(run_all(quick(), 1));
  }
  runtime::set_threads(threads);
  runs.push_back(run_all(quick(), 2));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[0][i].test, runs[1][i].test);
    EXPECT_EQ(runs[0][i].dev, runs[1][i].dev);
    EXPECT_EQ(runs[0][i].predicted, runs[1][i].predicted);
    EXPECT_NE(runs[0][i].predicted, runs[2][i].predicted);
  }
}

// One l2 is so strong that nothing is learnt, so the other one must be chosen at any position in
// the grid.
TEST(Protocol, HeldOutExamplesChooseL2) {
  for (const auto& grid : {std::vector<double>{1e4, 1e-4}, std::vector<double>{1e-4, 1e4}}) {
    ProtocolOptions options = quick();
    options.l2 = grid;
    for (const ProtocolResult& result : run_all(options, 1)) EXPECT_GT(result.test, 0.86);
  }
}

TEST(Protocol, CanBeCancelled) {
  const Blobs blobs(60, 2, 0.5, 1);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { nested_cross_validation(quick(), blobs.data(), 1, &cancel); });
}

}  // namespace
}  // namespace contrastive::eval
