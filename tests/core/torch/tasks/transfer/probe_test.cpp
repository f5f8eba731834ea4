#include "core/torch/tasks/transfer/probe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/rng.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

// Rows that own their memory.
struct Rows {
  std::vector<float> numbers;
  std::vector<const float*> pointers;
  Rows(std::vector<float> values, int64_t width) : numbers(std::move(values)) {
    for (size_t i = 0; i < numbers.size(); i += static_cast<size_t>(width))
      pointers.push_back(&numbers[i]);
  }
};

optim::OptimizerOptions optimizer(bool adam, double l2) { return {adam ? "adam" : "rmsprop", l2}; }

// Given weights and orders of batches, against PyTorch in double (tests/golden/eval/probe.py).
TEST(Probe, LearnsAsPyTorchDoes) {
  const Json& fits = fixture("probe_golden.json")["fits"];
  ASSERT_EQ(fits.size(), 9u);
  for (const Json& fit : fits) {
    const ProbeShape shape{fit["in"], fit["hidden"], fit["out"], 0};
    const bool adam = fit["optimizer"] == "adam";
    const Rows rows(fit["x"].get<std::vector<float>>(), shape.in);
    ProbeData data{shape.in, shape.out, rows.pointers, {}, {}};
    Rows targets({}, 1);
    if (fit.contains("labels")) {
      data.labels = fit["labels"].get<std::vector<int64_t>>();
    } else {
      targets = Rows(fit["targets"].get<std::vector<float>>(), shape.out);
      data.targets = targets.pointers;
    }
    Probe probe(shape, optimizer(adam, fit["l2"]), adam ? 1e-3 : 1e-2, 1);
    probe.set_weights(fit["start"].get<std::vector<float>>());
    for (const Json& pass : fit["passes"]) {
      probe.train(data, pass["order"].get<std::vector<int64_t>>(), fit["batch"]);
      const auto expected = pass["weights"].get<std::vector<double>>();
      const std::vector<float> weights = probe.weights();
      ASSERT_EQ(weights.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(weights[i], expected[i], 2e-5)
            << fit["optimizer"] << ", " << shape.hidden << " hidden, weight " << i;
      }
    }
    const std::vector<float> logits = probe.logits(rows.pointers);
    const auto expected = fit["logits"].get<std::vector<double>>();
    ASSERT_EQ(logits.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(logits[i], expected[i], 1e-4) << "logit " << i;
  }
}

std::vector<float> random_floats(size_t count, uint64_t seed) {
  Rng rng(seed, Purpose::kSubset);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

TEST(Probe, StartsAsTorchLinearDoes) {
  const Probe probe({400, 25, 4, 0}, optimizer(true, 0), 1e-3, 5);
  const std::vector<float> weights = probe.weights();
  ASSERT_EQ(weights.size(), 400u * 25 + 25 + 25 * 4 + 4);
  float hidden = 0, output = 0;
  for (size_t i = 0; i < 400u * 25 + 25; ++i) hidden = std::max(hidden, std::abs(weights[i]));
  for (size_t i = 400u * 25 + 25; i < weights.size(); ++i)
    output = std::max(output, std::abs(weights[i]));
  EXPECT_LE(hidden, 0.05f);
  EXPECT_GT(hidden, 0.049f);
  EXPECT_LE(output, 0.2f);
  EXPECT_GT(output, 0.18f);
  EXPECT_EQ(weights, Probe({400, 25, 4, 0}, optimizer(true, 0), 1e-3, 5).weights());
  EXPECT_NE(weights, Probe({400, 25, 4, 0}, optimizer(true, 0), 1e-3, 6).weights());
}

TEST(Probe, ScoresARowTheSameInAnyCompany) {
  const Rows rows(random_floats(300 * 21, 1), 21);
  for (const int64_t hidden : {0, 7}) {
    const Probe probe({21, hidden, 3, 0}, optimizer(true, 0), 1e-3, 2);
    const std::vector<float> all = probe.logits(rows.pointers);
    const std::vector<int64_t> classes = probe.predict(rows.pointers);
    for (const size_t i : {0u, 1u, 255u, 256u, 298u, 299u}) {
      const std::vector<float> alone = probe.logits({rows.pointers[i]});
      for (size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(alone[c], all[i * 3 + c]);
        EXPECT_GE(alone[static_cast<size_t>(classes[i])], alone[c]);
      }
    }
  }
}

// Dropout is used only in training, scaled so that the mean does not change, and redrawn in
// every step.
TEST(Probe, DropsWhatEntersTheSigmoid) {
  const Rows rows(random_floats(64 * 10, 3), 10);
  ProbeData data{10, 2, rows.pointers, {}, {}};
  for (size_t i = 0; i < 64; ++i) data.labels.push_back(rows.pointers[i][0] > 0);
  std::vector<int64_t> order(64);
  std::iota(order.begin(), order.end(), 0);
  const auto trained = [&](double dropout, int passes, uint64_t seed) {
    Probe probe({10, 80, 2, dropout}, optimizer(true, 0), 1e-2, seed);
    for (int i = 0; i < passes; ++i) probe.train(data, order, 64);
    return probe;
  };
  EXPECT_EQ(trained(0.5, 3, 1).weights(), trained(0.5, 3, 1).weights());
  EXPECT_NE(trained(0.5, 3, 1).weights(), trained(0, 3, 1).weights());
  EXPECT_EQ(trained(0.5, 0, 1).logits(rows.pointers), trained(0, 0, 1).logits(rows.pointers));
  const std::vector<int64_t> predicted = trained(0.5, 200, 1).predict(rows.pointers);
  int64_t right = 0;
  for (size_t i = 0; i < 64; ++i) right += predicted[i] == data.labels[i];
  EXPECT_GT(right, 58);
}

TEST(Probe, RefusesWeightsOfAnotherShape) {
  Probe probe({4, 0, 2, 0}, optimizer(true, 0), 1e-3, 1);
  expect_error(Status::kMismatch, "3 weights for a classifier of 10",
               [&] { probe.set_weights({1, 2, 3}); });
}

}  // namespace
}  // namespace contrastive::eval
