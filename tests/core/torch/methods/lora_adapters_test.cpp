#include "core/torch/methods/lora_adapters.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {
namespace {

LoraOptions options_of(std::vector<std::string> targets) {
  LoraOptions options;
  options.rank = 3;
  options.alpha = 6;
  options.targets = std::move(targets);
  return options;
}

std::map<std::string, at::Tensor> copies(const nn::TrainableEncoder& encoder) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : encoder.named_parameters())
    weights[name] = tensor.detach().clone();
  return weights;
}

void disturb(const LoraAdapters& adapters) {
  double value = 0.01;
  for (const optim::Parameter& parameter : adapters.parameters())
    parameter.tensor.detach().add_(value += 0.003);
}

TEST(LoraAdapters, BeginAtZeroAsPeftsDo) {
  const auto model = tiny_model()->snapshot();
  nn::TrainableEncoder encoder = nn::trainable(model->encoder());
  const LoraAdapters adapters(options_of({"query", "ffn"}), "mnrl.", encoder, 1),
      again(options_of({"query", "ffn"}), "mnrl.", encoder, 1),
      other(options_of({"query", "ffn"}), "mnrl.", encoder, 2);
  const auto parameters = adapters.parameters();
  ASSERT_EQ(parameters.size(), static_cast<size_t>(6 * model->shape().num_hidden_layers));
  EXPECT_EQ(parameters[0].name, "encoder.layer.0.attention.self.query.lora_A.weight");
  EXPECT_EQ(parameters[1].name, "encoder.layer.0.attention.self.query.lora_B.weight");
  for (size_t i = 0; i < parameters.size(); i += 2) {
    const at::Tensor a = parameters[i].tensor, b = parameters[i + 1].tensor;
    const double bound = 1 / std::sqrt(static_cast<double>(a.size(1)));
    EXPECT_LE(a.abs().max().item<double>(), bound);
    EXPECT_GT(a.abs().max().item<double>(), 0.8 * bound);
    EXPECT_EQ(b.abs().max().item<double>(), 0);
    EXPECT_TRUE(a.equal(again.parameters()[i].tensor));
    EXPECT_FALSE(a.equal(other.parameters()[i].tensor));
    EXPECT_TRUE(parameters[i].decay && parameters[i + 1].decay);
  }
  EXPECT_FALSE(parameters[0].tensor.equal(parameters[6].tensor))
      << "each has its own initial values";
  EXPECT_EQ(adapters.squared_norm().item<double>(), 0);
}

TEST(LoraAdapters, AreMergedForAWhileAndTakenOutToTheBit) {
  const auto model = tiny_model()->snapshot();
  nn::TrainableEncoder encoder = nn::trainable(model->encoder());
  const LoraAdapters adapters(options_of({"value", "output"}), "mnrl.", encoder, 1);
  disturb(adapters);
  const auto before = copies(encoder);
  std::map<std::string, at::Tensor> during;
  {
    const MergedWeights merged(adapters, encoder);
    during = copies(encoder);
  }
  double distance = 0;
  std::map<std::string, at::Tensor> own;
  for (const auto& parameter : adapters.parameters())
    own[parameter.name] = parameter.tensor.detach();
  for (const auto& [name, weight] : copies(encoder)) {
    EXPECT_TRUE(weight.equal(before.at(name))) << name;
    const std::string module = name.substr(0, name.rfind('.'));
    const bool beside = name == module + ".weight" && own.count(module + ".lora_A.weight") > 0;
    EXPECT_EQ(during.at(name).equal(weight), !beside) << name;
    if (!beside) continue;
    const at::Tensor expected =
        weight +
        at::matmul(own.at(module + ".lora_B.weight"), own.at(module + ".lora_A.weight")) * 2.0;
    EXPECT_LT((during.at(name) - expected).abs().max().item<double>(), 1e-5) << name;
    distance += (expected - weight).to(at::kDouble).square().sum().item<double>();
  }
  EXPECT_NEAR(adapters.squared_norm().item<double>(), distance, 1e-4 * distance);
}

TEST(LoraAdapters, ARecordSaysWhatTheyAreAndWhatTheyBelongTo) {
  const auto model = tiny_model()->snapshot();
  nn::TrainableEncoder encoder = nn::trainable(model->encoder());
  const LoraAdapters adapters(options_of({"key"}), "mnrl.", encoder, 1);
  const auto first = adapters.record(encoder, "base");
  EXPECT_EQ(first->rank, 3);
  EXPECT_EQ(first->scale(), 2);
  EXPECT_EQ(first->base, "base");
  EXPECT_EQ(first->base_digest.size(), 64u);
  tensors::TorchTensorMap given;
  for (const auto& parameter : adapters.parameters())
    given[parameter.name] = parameter.tensor.detach().clone();
  disturb(adapters);
  const auto now = adapters.record(encoder, "base"), kept = adapters.record(encoder, "base", given);
  EXPECT_FALSE(now->modules[0].a == first->modules[0].a);
  EXPECT_TRUE(kept->modules[0].a == first->modules[0].a &&
              kept->modules[0].b == first->modules[0].b);
  EXPECT_EQ(now->base_digest, first->base_digest);
  const MergedWeights merged(adapters, encoder);
  EXPECT_NE(adapters.record(encoder, "base")->base_digest, first->base_digest);
}

}  // namespace
}  // namespace contrastive::methods
