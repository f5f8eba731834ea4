// Adapters in the CPU's training path against LibTorch's operations in double, and against weights
// that they are merged into.
#include "core/torch/nn/lora.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <gmock/gmock.h>

#include "tests/core/torch/nn/sample_encoder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

constexpr int64_t kRank = 3;

at::Tensor random_leaf(int64_t rows, int64_t columns, uint64_t number) {
  const at::Tensor tensor = at::empty({rows, columns}, at::kFloat);
  Rng rng(3, Purpose::kSubset, 1, number);
  for (int64_t i = 0; i < tensor.numel(); ++i)
    tensor.mutable_data_ptr<float>()[i] = static_cast<float>(0.1 * rng.normal());
  return tensor;
}

// Adapters for these matrices of every layer, in the order of LayerAdapters::all().
std::vector<LayerAdapters> adapters_of(const Architecture& o, const std::vector<size_t>& places,
                                       at::ScalarType type) {
  std::vector<LayerAdapters> layers(static_cast<size_t>(o.num_hidden_layers));
  uint64_t number = 0;
  for (LayerAdapters& layer : layers) {
    for (const size_t place : places) {
      const int64_t in = place == 5 ? o.intermediate_size : o.hidden_size,
                    out = place == 4 ? o.intermediate_size : o.hidden_size;
      const at::Tensor a = random_leaf(kRank, in, number++).to(type).set_requires_grad(true),
                       b = random_leaf(out, kRank, number++).to(type);
      *const_cast<LinearAdapter*>(layer.all()[place]) = {a,    b.set_requires_grad(true),  0, out,
                                                         0.75, static_cast<int64_t>(place)};
    }
  }
  return layers;
}

Dropout adapter_dropout(double own, double adapter) {
  Dropout dropout;
  dropout.hidden = dropout.attention = own;
  dropout.adapter = adapter;
  dropout.seed = 5;
  dropout.epoch = 2;
  for (size_t i = 0; i < kLengths.size(); ++i) dropout.examples.push_back(100 + i);
  return dropout;
}

struct AdapterResult {
  at::Tensor state;
  std::vector<at::Tensor> gradients;  // of all A and B
};

AdapterResult run(TrainableEncoder& encoder, const std::vector<LayerAdapters>& adapters,
                  const PackedTokens& tokens, const Dropout& dropout) {
  encoder.set_adapters(adapters);
  AdapterResult result;
  result.state = encoder.run_layers(encoder.embed(tokens, dropout), tokens, dropout).back();
  at::Tensor factors = at::empty(result.state.sizes(), at::kDouble);
  Rng rng(4, Purpose::kSubset);
  for (int64_t k = 0; k < factors.numel(); ++k)
    factors.mutable_data_ptr<double>()[k] = rng.normal();
  (result.state * factors.to(result.state.scalar_type())).sum().backward();
  for (const LayerAdapters& layer : adapters) {
    for (const at::Tensor& parameter : layer.parameters())
      result.gradients.push_back(parameter.grad());
  }
  return result;
}

Architecture gentle() {
  Architecture options = sample_options();
  options.initializer_range = 0.15;
  return options;
}

TEST(Lora, TheKernelsEqualLibTorchInDoubleWhereverAnAdapterStands) {
  const Architecture options = gentle();
  const SampleBatch batch(kLengths, options);
  std::vector<std::vector<size_t>> rows{{0, 1, 2, 3, 4, 5}, {0, 2}};
  for (size_t place = 0; place < 6; ++place)
    rows.push_back({place});  // every place where the backward pass may end
  for (const std::vector<size_t>& places : rows) {
    for (const auto& [own, adapter] : {std::pair(0.0, 0.0), {0.0, 0.4}, {0.1, 0.2}}) {
      SCOPED_TRACE(cat(places.size(), " from ", places[0], " ", own, " ", adapter));
      const Dropout dropout = adapter_dropout(own, adapter);
      for (const bool base_trains : {false, true}) {
        TrainableEncoder fast = TrainableEncoder::random(options, 7), exact = fast.clone();
        exact.to(at::kCPU, at::kDouble);
        fast.set_requires_grad(base_trains);
        exact.set_requires_grad(base_trains);
        const AdapterResult got =
            run(fast, adapters_of(options, places, at::kFloat), batch.view(), dropout);
        const AdapterResult expected =
            run(exact, adapters_of(options, places, at::kDouble), batch.view(), dropout);
        EXPECT_LT(relative(got.state, expected.state), 1e-6);
        ASSERT_EQ(got.gradients.size(), expected.gradients.size());
        for (size_t i = 0; i < got.gradients.size(); ++i) {
          ASSERT_TRUE(got.gradients[i].defined()) << i;
          EXPECT_LT(relative(got.gradients[i], expected.gradients[i]), 1e-5) << i;
        }
        const auto weights = fast.named_parameters(), in_double = exact.named_parameters();
        for (size_t i = 0; i < weights.size(); ++i) {
          const auto& [name, weight] = weights[i];
          EXPECT_EQ(weight.grad().defined(), base_trains) << name;
          if (base_trains && name.find("key.bias") == std::string::npos) {
            EXPECT_LT(relative(weight.grad(), in_double[i].second.grad()), 1e-5) << name;
          }
        }
      }
    }
  }
}

TEST(Lora, ABatchOfSeveralBlocksSumsThemUp) {
  const Architecture options = gentle();
  const SampleBatch batch(std::vector<int64_t>(10, 121), options);  // 1,210 tokens
  TrainableEncoder fast = TrainableEncoder::random(options, 7), exact = fast.clone();
  exact.to(at::kCPU, at::kDouble);
  const AdapterResult got =
      run(fast, adapters_of(options, {4, 5}, at::kFloat), batch.view(), adapter_dropout(0, 0.3));
  const AdapterResult expected =
      run(exact, adapters_of(options, {4, 5}, at::kDouble), batch.view(), adapter_dropout(0, 0.3));
  EXPECT_LT(relative(got.state, expected.state), 1e-6);
  for (size_t i = 0; i < got.gradients.size(); ++i)
    EXPECT_LT(relative(got.gradients[i], expected.gradients[i]), 1e-5) << i;
}

TEST(Lora, CheckpointingGivesTheSameBits) {
  const Architecture options = gentle();
  const SampleBatch batch(kLengths, options);
  const auto with = [&](bool checkpointing) {
    TrainableEncoder encoder = TrainableEncoder::random(options, 7);
    encoder.set_checkpointing(checkpointing);
    return run(encoder, adapters_of(options, {0, 3, 5}, at::kFloat), batch.view(),
               adapter_dropout(0.1, 0.2));
  };
  const AdapterResult kept = with(false), again = with(true);
  EXPECT_TRUE(kept.state.equal(again.state));
  for (size_t i = 0; i < kept.gradients.size(); ++i)
    EXPECT_TRUE(kept.gradients[i].equal(again.gradients[i])) << i;
}

// Without dropout an adapter is W + scale B A.
TEST(Lora, AMergedWeightGivesTheSameStates) {
  const Architecture options = gentle();
  const SampleBatch batch(kLengths, options);
  TrainableEncoder beside = TrainableEncoder::random(options, 7), merged = beside.clone();
  const std::vector<LayerAdapters> adapters = adapters_of(options, {2, 4}, at::kFloat);
  {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < adapters.size(); ++i) {
      at::Tensor value = merged.weights().layers[i].value.weight,
                 widened = merged.weights().layers[i].intermediate.weight;
      value.add_(at::matmul(adapters[i].value.b, adapters[i].value.a) * 0.75);
      widened.add_(at::matmul(adapters[i].intermediate.b, adapters[i].intermediate.a) * 0.75);
    }
  }
  beside.set_adapters(adapters);
  const at::Tensor expected = merged.run_layers(merged.embed(batch.view()), batch.view()).back();
  EXPECT_LT(relative(beside.run_layers(beside.embed(batch.view()), batch.view()).back(), expected),
            1e-6);
  EXPECT_GT(relative(TrainableEncoder::random(options, 7)
                         .run_layers(beside.embed(batch.view()), batch.view())
                         .back(),
                     expected),
            1e-3);
}

// A module that holds several linears has one A, and rows of one B for each.
TEST(Lora, PartsOfOneModuleShareItsAdapter) {
  Architecture options = sample_options();
  options.rotary_base = 10000;  // which LibTorch's operations train
  const SampleBatch batch(kLengths, options);
  TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  const int64_t hidden = options.hidden_size;
  const at::Tensor a = random_leaf(kRank, hidden, 1).set_requires_grad(true),
                   b = random_leaf(3 * hidden, kRank, 2).set_requires_grad(true);
  std::vector<LayerAdapters> adapters(static_cast<size_t>(options.num_hidden_layers));
  adapters[1].query = {a, b, 0, hidden, 0.5, 0};
  adapters[1].key = {a, b, hidden, hidden, 0.5, 0};
  adapters[1].value = {a, b, 2 * hidden, hidden, 0.5, 0};
  EXPECT_EQ(adapters[1].parameters().size(), 2u);
  for (const bool checkpointing : {false, true}) {
    encoder.set_checkpointing(checkpointing);
    a.mutable_grad() = b.mutable_grad() = at::Tensor();
    const AdapterResult whole = run(encoder, adapters, batch.view(), adapter_dropout(0, 0.3));
    for (int64_t part = 0; part < 3; ++part) {
      EXPECT_GT(b.grad().narrow(0, part * hidden, hidden).abs().max().item<double>(), 0) << part;
    }
    // The same as three adapters with equal A.
    std::vector<LayerAdapters> apart = adapters;
    for (LinearAdapter* adapter : {&apart[1].query, &apart[1].key, &apart[1].value}) {
      adapter->a = a.detach().clone().set_requires_grad(true);
      adapter->b = b.detach().narrow(0, adapter->first_row, hidden).clone().set_requires_grad(true);
      adapter->first_row = 0;
    }
    const AdapterResult parts = run(encoder, apart, batch.view(), adapter_dropout(0, 0.3));
    EXPECT_LT(relative(whole.state, parts.state), 1e-6);
    const at::Tensor sum =
        apart[1].query.a.grad() + apart[1].key.a.grad() + apart[1].value.a.grad();
    EXPECT_LT(relative(a.grad(), sum), 1e-5);
    EXPECT_LT(relative(b.grad().narrow(0, hidden, hidden), apart[1].key.b.grad()), 1e-5);
  }
}

}  // namespace
}  // namespace contrastive::nn
