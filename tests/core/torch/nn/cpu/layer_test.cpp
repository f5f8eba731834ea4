// The CPU's training path in float32 against LibTorch's operations in double, values and gradients,
// and further guarantees of the training path.
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/from_blob.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/nn/trainable_encoder.h"
#include "core/runtime/threads.h"
#include "tests/core/torch/nn/sample_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

// The weights are so small that float32 stays within the bounds below. With those of
// sample_options() attention is so sharp that LibTorch's own float32 operations do not.
Architecture gentle_options(const std::string& family = "bert") {
  Architecture options = sample_options(family);
  options.initializer_range = 0.15;
  return options;
}

Dropout sample_dropout(double hidden, double attention) {
  Dropout dropout;
  dropout.hidden = hidden;
  dropout.attention = attention;
  dropout.seed = 5;
  dropout.epoch = 2;
  for (size_t i = 0; i < kLengths.size(); ++i) dropout.examples.push_back(100 + i);
  return dropout;
}

struct Result {
  std::vector<at::Tensor> states;
  at::Tensor embedded_grad;
  std::vector<std::pair<std::string, at::Tensor>> gradients;
};

// Runs a loss with random weights for the states from layer `first` on, so that each layer also
// gets a gradient from the loss.
Result run(TrainableEncoder& encoder, const PackedTokens& tokens, const Dropout& dropout,
           size_t first = 0) {
  Result result;
  at::Tensor embedded = encoder.embed(tokens, dropout);
  if (embedded.requires_grad()) embedded.retain_grad();
  result.states = encoder.run_layers(embedded, tokens, dropout);
  at::Tensor loss;
  for (size_t i = first; i < result.states.size(); ++i) {
    const at::Tensor& state = result.states[i];
    at::Tensor factors = at::empty(state.sizes(), at::kDouble);
    Rng rng(i, Purpose::kSubset);
    for (int64_t k = 0; k < factors.numel(); ++k)
      factors.mutable_data_ptr<double>()[k] = rng.normal();
    const at::Tensor term = (state * factors.to(state.scalar_type())).sum();
    loss = loss.defined() ? loss + term : term;
  }
  if (loss.requires_grad()) loss.backward();
  if (embedded.requires_grad()) result.embedded_grad = embedded.grad();
  for (const auto& [name, parameter] : encoder.named_parameters())
    result.gradients.emplace_back(name, parameter.grad());
  return result;
}

void expect_equal_paths(const Architecture& options, const PackedTokens& tokens,
                        const Dropout& dropout) {
  TrainableEncoder fast = TrainableEncoder::random(options, 7), exact = fast.clone();
  exact.to(at::kCPU, at::kDouble);
  fast.set_requires_grad(true);
  exact.set_requires_grad(true);
  const Result got = run(fast, tokens, dropout), expected = run(exact, tokens, dropout);
  for (size_t i = 0; i < got.states.size(); ++i)
    EXPECT_LT(relative(got.states[i], expected.states[i]), 1e-6) << "state " << i;
  EXPECT_LT(relative(got.embedded_grad, expected.embedded_grad), 1e-5);
  for (size_t i = 0; i < got.gradients.size(); ++i) {
    const auto& [name, gradient] = got.gradients[i];
    ASSERT_TRUE(gradient.defined()) << name;
    if (name.find("key.bias") != std::string::npos) {
      // always 0 (it shifts all scores of a row equally), so measured relative to the queries'
      // bias.
      EXPECT_LT(gradient.abs().max().item<double>(),
                1e-4 * expected.gradients[i - 2].second.abs().max().item<double>())
          << name;
    } else {
      EXPECT_LT(relative(gradient, expected.gradients[i].second), 1e-5) << name;
    }
  }
}

TEST(Training, EqualsLibTorchInDoubleForEveryActivation) {
  for (const std::string family : {"bert", "roberta"}) {
    for (const Activation act :
         {Activation::kGeluErf, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
      SCOPED_TRACE(static_cast<int>(act));
      Architecture options = gentle_options(family);
      options.hidden_act = act;
      const SampleBatch batch(kLengths, options);
      expect_equal_paths(options, batch.view(), {});
      expect_equal_paths(options, batch.view(), sample_dropout(0.1, 0.2));
    }
  }
}

TEST(Training, EqualsLibTorchInDoubleForEveryHeadAndWidth) {
  for (const auto& [hidden, heads, intermediate] :
       {std::array<int64_t, 3>{48, 1, 64}, {36, 12, 50}, {64, 2, 256}, {7, 7, 9}}) {
    SCOPED_TRACE(hidden);
    Architecture options = gentle_options();
    options.hidden_size = hidden;
    options.num_attention_heads = heads;
    options.intermediate_size = intermediate;
    const SampleBatch batch(kLengths, options);
    expect_equal_paths(options, batch.view(), sample_dropout(0.3, 0));
    expect_equal_paths(options, batch.view(), sample_dropout(0, 0.5));
  }
}

TEST(Training, PositionsMayBePermuted) {
  const Architecture options = gentle_options();
  const SampleBatch batch(kLengths, options);
  std::vector<int32_t> positions;
  for (const int64_t length : kLengths) {
    for (int64_t t = 0; t < length; ++t) positions.push_back(static_cast<int32_t>(length - 1 - t));
  }
  PackedTokens tokens = batch.view();
  tokens.positions = positions.data();
  expect_equal_paths(options, tokens, {});
  const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  const at::Tensor trained =
      encoder.pool(parse_pooling("mean", 3), encoder.run_layers(encoder.embed(tokens), tokens),
                   tokens);
  at::Tensor inferred = at::empty(trained.sizes(), at::kFloat);
  on_cpu(encoder).infer(tokens, {parse_pooling("mean", 3)}, {nullptr},
                        inferred.mutable_data_ptr<float>(), 1);
  EXPECT_LT(relative(inferred, trained), 1e-5);
  positions[3] = static_cast<int32_t>(options.max_tokens());
  expect_error(Status::kArgument, "position 130 is outside the encoder's 130",
               [&] { encoder.embed(tokens); });
}

TEST(Training, AMoreThanBlockSizedBatchSumsUpItsBlocks) {
  const Architecture options = gentle_options();
  const SampleBatch batch(std::vector<int64_t>(10, 121), options);  // 1,210 tokens
  expect_equal_paths(options, batch.view(), {});
}

TEST(Training, FrozenWeightsGetNoGradientAndTheOthersTheSame) {
  const Architecture options = gentle_options();
  const SampleBatch batch(kLengths, options);
  const Dropout dropout = sample_dropout(0.1, 0.1);
  TrainableEncoder whole = TrainableEncoder::random(options, 7);
  whole.set_requires_grad(true);
  const Result all = run(whole, batch.view(), dropout);
  // One weight at a time: every place where the backward pass may end.
  for (size_t i = 0; i < all.gradients.size(); ++i) {
    TrainableEncoder encoder = TrainableEncoder::random(options, 7);
    encoder.named_parameters()[i].second.set_requires_grad(true);
    const Result one = run(encoder, batch.view(), dropout);
    for (size_t k = 0; k < all.gradients.size(); ++k) {
      EXPECT_EQ(one.gradients[k].second.defined(), k == i) << all.gradients[k].first;
    }
    EXPECT_TRUE(one.gradients[i].second.equal(all.gradients[i].second)) << all.gradients[i].first;
  }
}

TEST(Training, WithoutAGradientThereIsNoGraph) {
  const Architecture options = gentle_options();
  const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  const SampleBatch batch(kLengths, options);
  for (const at::Tensor& state : encoder.run_layers(encoder.embed(batch.view()), batch.view()))
    EXPECT_FALSE(state.requires_grad());
}

TEST(Training, TheResultDoesNotDependOnTheThreads) {
  const Architecture options = gentle_options();
  const SampleBatch batch(kLengths, options);
  const int before = runtime::threads();
  tensors::settle_openmp();
  std::vector<Result> results;
  for (const int threads : {1, 2, 3}) {
    runtime::set_threads(threads);
    TrainableEncoder encoder = TrainableEncoder::random(options, 7);
    encoder.set_requires_grad(true);
    results.push_back(run(encoder, batch.view(), sample_dropout(0.1, 0.1)));
  }
  runtime::set_threads(before);
  for (size_t i = 1; i < results.size(); ++i) {
    EXPECT_TRUE(results[i].states.back().equal(results[0].states.back()));
    for (size_t k = 0; k < results[0].gradients.size(); ++k) {
      EXPECT_TRUE(results[i].gradients[k].second.equal(results[0].gradients[k].second))
          << results[0].gradients[k].first;
    }
  }
}

TEST(Training, CheckpointingGivesTheSameBits) {
  const Architecture options = gentle_options();
  const SampleBatch batch(kLengths, options);
  for (const at::ScalarType type :
       {at::kFloat, at::kDouble}) {  // our kernels, LibTorch's operations
    TrainableEncoder kept = TrainableEncoder::random(options, 7);
    kept.to(at::kCPU, type);
    TrainableEncoder repeated = kept.clone();
    repeated.set_checkpointing(true);
    kept.set_requires_grad(true);
    repeated.set_requires_grad(true);
    const Dropout dropout = sample_dropout(0.1, 0.2);
    // Only from the last state, because LibTorch adds a gradient from the loss to the terms inside
    // a layer in another order.
    const Result a = run(kept, batch.view(), dropout, 3),
                 b = run(repeated, batch.view(), dropout, 3);
    EXPECT_TRUE(a.states.back().equal(b.states.back()));
    EXPECT_TRUE(a.embedded_grad.equal(b.embedded_grad));
    for (size_t i = 0; i < a.gradients.size(); ++i)
      EXPECT_TRUE(a.gradients[i].second.equal(b.gradients[i].second)) << a.gradients[i].first;
  }
}

TEST(Training, CheckpointingLowersThePeakOfMemory) {
  Architecture options = gentle_options();
  options.hidden_size = 128;
  options.intermediate_size = 512;
  options.num_hidden_layers = 6;
  const SampleBatch batch(std::vector<int64_t>(40, 100), options);
  std::vector<int64_t> peaks;
  for (const bool checkpointing : {false, true}) {
    TrainableEncoder encoder = TrainableEncoder::random(options, 7);
    encoder.set_requires_grad(true);
    encoder.set_checkpointing(checkpointing);
    tensors::release_recycled_memory();
    const int64_t before = tensors::recycled_memory().used;
    encoder
        .pool(parse_pooling("mean", 6),
              encoder.run_layers(encoder.embed(batch.view()), batch.view()), batch.view())
        .sum()
        .backward();
    peaks.push_back(tensors::recycled_memory().peak - before);
  }
  // Of six layers' ten states per token, those of one layer and six inputs remain, plus what every
  // backward pass needs.
  EXPECT_LT(static_cast<double>(peaks[1]), 0.5 * static_cast<double>(peaks[0]))
      << peaks[0] << " and " << peaks[1] << " bytes";
}

TEST(Training, ARetainedGraphGivesItsGradientsAgain) {
  const Architecture options = gentle_options();
  TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  encoder.set_requires_grad(true);
  const SampleBatch batch(kLengths, options);
  const at::Tensor loss =
      encoder.run_layers(encoder.embed(batch.view()), batch.view()).back().square().sum();
  const at::Tensor& weight = encoder.weights().layers[0].query.weight;
  loss.backward({}, true);
  const at::Tensor once = weight.grad().clone();
  loss.backward();
  EXPECT_TRUE(weight.grad().equal(once * 2));
  EXPECT_THROW(loss.backward(), std::exception);
}

TEST(Training, AWeightChangedInBetweenIsRefused) {
  const Architecture options = gentle_options();
  TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  encoder.set_requires_grad(true);
  const SampleBatch batch(kLengths, options);
  const at::Tensor loss =
      encoder.run_layers(encoder.embed(batch.view()), batch.view()).back().sum();
  encoder.weights().layers[1].output.weight.detach().mul_(2);
  EXPECT_THROW(loss.backward(), std::exception);
}

TEST(Training, AutocastRunsOnLibTorchsOperations) {
  const Architecture options = gentle_options();
  TrainableEncoder plain = TrainableEncoder::random(options, 7), cast = plain.clone(),
                   repeated = plain.clone();
  repeated.set_checkpointing(true);
  for (TrainableEncoder* encoder : {&plain, &cast, &repeated}) encoder->set_requires_grad(true);
  const SampleBatch batch(kLengths, options);
  const Dropout dropout = sample_dropout(0.1, 0.1);
  const Result expected = run(plain, batch.view(), dropout);
  std::vector<Result> results;
  for (TrainableEncoder* encoder : {&cast, &repeated}) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const std::vector<at::Tensor> states =
        encoder->run_layers(encoder->embed(batch.view(), dropout), batch.view(), dropout);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    states.back().square().sum().backward();
    results.push_back({states, {}, {}});
    for (const auto& [name, parameter] : encoder->named_parameters())
      results.back().gradients.emplace_back(name, parameter.grad());
  }
  const double difference = relative(results[0].states.back(), expected.states.back());
  EXPECT_GT(difference, 1e-5) << "bfloat16 must make a difference";
  EXPECT_LT(difference, 5e-2);
  EXPECT_TRUE(results[0].states.back().equal(results[1].states.back()));
  for (size_t i = 0; i < results[0].gradients.size(); ++i) {
    EXPECT_TRUE(results[0].gradients[i].second.equal(results[1].gradients[i].second))
        << results[0].gradients[i].first;
  }
}

}  // namespace
}  // namespace contrastive::nn
