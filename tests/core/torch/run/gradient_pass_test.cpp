#include "core/torch/run/gradient_pass.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <vector>

#include "core/torch/optim/gradients.h"
#include "tests/core/torch/run/toy_method.h"

namespace contrastive::run {
namespace {

using Gradients = std::map<std::string, at::Tensor>;

TrainOptions options_of(int64_t batch_size, Negatives negatives) {
  TrainOptions options;
  options.batch_size = batch_size;
  options.negatives = negatives;
  return options;
}

data::Batch callers_batch(int64_t n) {
  data::Batch batch;
  const auto data = toy_pairs(n);
  for (int64_t i = 0; i < n; ++i) batch.examples.push_back(data->get(i));
  batch.indices.assign(static_cast<size_t>(n), -1);
  return batch;
}

Gradients gradients_of(const methods::Method& method) {
  Gradients gradients;
  for (const auto& p : method.parameters()) {
    if (p.tensor.grad().defined()) gradients[p.name] = p.tensor.grad().clone();
  }
  return gradients;
}

// The largest difference of two sets of gradients, relative to the largest gradient.
double difference(const Gradients& a, const Gradients& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0, largest = 0;
  for (const auto& [name, gradient] : a) {
    most = std::max(most, (gradient - b.at(name)).abs().max().item<double>());
    largest = std::max(largest, gradient.abs().max().item<double>());
  }
  return most / largest;
}

struct Outcome {
  PassResult result;
  Gradients gradients;
  int64_t compared;
  int passes;
};

Outcome run(int64_t part, Negatives negatives, double scale = 1, optim::Amp amp = optim::Amp::kOff,
            bool checkpointing = false, int64_t n = 8) {
  const auto method = toy_method(checkpointing);
  GradientPass pass(*method, amp, c10::Device(test_device()).type());
  Outcome outcome;
  outcome.result = pass.run(split_batch(callers_batch(n), options_of(part, negatives)), scale);
  outcome.gradients = gradients_of(*method);
  outcome.compared = method->compared_rows;
  outcome.passes = method->passes;
  return outcome;
}

TEST(GradientPass, AcrossPartsTheSplitChangesNothing) {
  const Outcome whole = run(8, Negatives::kGlobal);
  EXPECT_EQ(whole.passes, 1);
  ASSERT_GT(whole.gradients.size(), 10u);
  for (const int64_t part : {4, 3, 2, 1}) {
    const Outcome split = run(part, Negatives::kGlobal);
    EXPECT_EQ(split.compared, 8);
    EXPECT_EQ(split.passes, 2 * ((8 + part - 1) / part));
    EXPECT_LT(difference(whole.gradients, split.gradients), 1e-5) << "parts of " << part;
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(split.result.terms[i].second, whole.result.terms[i].second, 1e-5)
          << split.result.terms[i].first;
    EXPECT_EQ(split.result.tokens, whole.result.tokens);
  }
}

TEST(GradientPass, PartsByThemselvesAreAnotherLoss) {
  // With negatives = micro, a caller's batch is never split, but a dataset's batches are, and then
  // have fewer negatives.
  EXPECT_EQ(run(4, Negatives::kMicro).compared, 8);
  const Outcome whole = run(8, Negatives::kMicro);
  const auto method = toy_method();
  GradientPass pass(*method, optim::Amp::kOff, c10::Device(test_device()).type());
  Update update = split_batch(callers_batch(8), options_of(4, Negatives::kGlobal));
  update.whole = {};
  const PassResult parts = pass.run(update, 1);
  EXPECT_EQ(method->compared_rows, 4);
  EXPECT_LT(parts.terms[1].second,
            whole.result.terms[1].second - 0.1);  // fewer negatives, a smaller loss
  EXPECT_NEAR(parts.terms[2].second, whole.result.terms[2].second, 1e-5);
  EXPECT_GT(difference(whole.gradients, gradients_of(*method)), 1e-2);
}

TEST(GradientPass, ScaleMultipliesTheGradientsOnly) {
  for (const int64_t part : {8, 2}) {
    const Outcome plain = run(part, Negatives::kGlobal);
    Outcome scaled = run(part, Negatives::kGlobal, 1024);
    for (auto& [name, gradient] : scaled.gradients) gradient = gradient / 1024;
    EXPECT_LT(difference(plain.gradients, scaled.gradients), 1e-6);
    EXPECT_EQ(plain.result.terms, scaled.result.terms);
  }
}

TEST(GradientPass, CheckpointingGivesTheSameGradients) {
  for (const optim::Amp amp : {optim::Amp::kOff, optim::Amp::kBfloat16}) {
    for (const int64_t part : {8, 4}) {
      const Outcome plain = run(part, Negatives::kGlobal, 1, amp),
                    checkpointed = run(part, Negatives::kGlobal, 1, amp, true);
      EXPECT_EQ(difference(plain.gradients, checkpointed.gradients), 0);
    }
  }
}

TEST(GradientPass, MixedPrecisionComparesInFloat32AndIsNear) {
  const Outcome full = run(8, Negatives::kGlobal);
  for (const int64_t part : {8, 4}) {
    const auto method = toy_method();
    GradientPass pass(*method, optim::Amp::kBfloat16, c10::Device(test_device()).type());
    const PassResult result =
        pass.run(split_batch(callers_batch(8), options_of(part, Negatives::kGlobal)), 1);
    EXPECT_EQ(method->compared_type, at::kFloat);
    EXPECT_NEAR(result.terms[1].second, full.result.terms[1].second,
                0.05 * std::abs(full.result.terms[1].second) + 0.02);
    EXPECT_NE(result.terms[1].second, full.result.terms[1].second)
        << "nothing was computed in bfloat16";
    const Gradients gradients = gradients_of(*method);
    for (const auto& [name, gradient] : gradients)
      EXPECT_EQ(gradient.scalar_type(), at::kFloat) << name;
    EXPECT_LT(difference(full.gradients, gradients), 0.2);
  }
}

TEST(GradientPass, ALossThatIsNotFiniteLeavesNoGradient) {
  for (const int64_t part : {8, 4}) {
    const auto method = toy_method();
    method->factor = std::numeric_limits<double>::infinity();
    GradientPass pass(*method, optim::Amp::kOff, c10::Device(test_device()).type());
    const PassResult result =
        pass.run(split_batch(callers_batch(8), options_of(part, Negatives::kGlobal)), 1);
    EXPECT_EQ(result.bad_part, 0u);
    EXPECT_TRUE(gradients_of(*method).empty());
  }
}

TEST(GradientPass, OnePairHasNoGradientFromTheContrast) {
  const Outcome one = run(8, Negatives::kGlobal, 1, optim::Amp::kOff, false, 1);
  EXPECT_EQ(one.result.terms[1].second, 0);
  EXPECT_EQ(one.gradients.at("projection").abs().max().item<double>(), 0);
}

// As with float16 on a GPU: the loss is finite, its gradients times 65,536 overflow, and a smaller
// scale is found within the same update.
TEST(GradientPass, AnOverflowIsMetByASmallerScale) {
  const auto method = toy_method();
  const std::vector<methods::Parameter> parameters = method->parameters();
  GradientPass pass(*method, optim::Amp::kOff, c10::Device(test_device()).type());
  const Update update = split_batch(callers_batch(8), options_of(8, Negatives::kMicro));
  optim::GradScaler off(false);
  const double norm = pass.run(update, off, parameters).gradient_norm;
  const Gradients plain = gradients_of(*method);
  ASSERT_TRUE(std::isfinite(norm) && norm > 0);

  method->factor = 1e35 / norm;
  optim::GradScaler scaler(true);
  method->passes = 0;
  const PassResult fitted = pass.run(update, scaler, parameters);
  EXPECT_FALSE(fitted.bad_part);
  EXPECT_GT(scaler.retries(), 0);
  EXPECT_EQ(scaler.scale(),
            optim::GradScaler::kFirstScale / std::pow(2.0, static_cast<double>(scaler.retries())));
  EXPECT_GT(scaler.scale(), 1);
  EXPECT_EQ(method->passes, scaler.retries() + 1);
  EXPECT_NEAR(fitted.gradient_norm / 1e35, 1, 1e-4) << "without the scale";
  Gradients unscaled;
  for (const auto& [name, gradient] : gradients_of(*method))
    unscaled[name] = gradient / (scaler.scale() * method->factor);
  EXPECT_LT(difference(unscaled, plain), 1e-4) << "of the last pass alone";

  method->factor = 1e38 / norm * 1e3;  // beyond the type at any scale
  const PassResult hopeless = pass.run(update, scaler, parameters);
  EXPECT_FALSE(std::isfinite(hopeless.gradient_norm) && !hopeless.bad_part);
  EXPECT_TRUE(hopeless.bad_part || scaler.scale() == 1);
}

}  // namespace
}  // namespace contrastive::run
