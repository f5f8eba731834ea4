// The head of a masked language model: its names in both families, its formula, its gradient.
#include "core/torch/nn/mlm_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/expect_error.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

using ::testing::ElementsAre;

Architecture small(Activation activation = Activation::kGeluErf) {
  Architecture options;
  options.hidden_size = 4;
  options.vocab_size = 7;
  options.mlm_act = activation;
  return options;
}

// Weights that all differ from a head's initial ones, in double.
std::map<std::string, at::Tensor> weights(const Architecture& options) {
  std::map<std::string, at::Tensor> weights;
  uint64_t seed = 10;
  for (const auto& [name, shape] : mlm_head_shapes(options))
    weights[name] = objectives::random_tensor(shape, seed++);
  return weights;
}

TEST(MlmHead, CarriesBertsNamesWhateverTheFamily) {
  std::vector<std::string> names;
  for (const auto& item : mlm_head_shapes(small())) names.push_back(item.first);
  EXPECT_THAT(names,
              ElementsAre("cls.predictions.transform.dense.weight",
                          "cls.predictions.transform.dense.bias",
                          "cls.predictions.transform.LayerNorm.weight",
                          "cls.predictions.transform.LayerNorm.bias", "cls.predictions.bias"));
}

TEST(MlmHead, IsDenseActivationNormAndTheTiedMatrix) {
  for (const Activation activation : {Activation::kRelu, Activation::kGeluErf}) {
    Architecture options = small(activation);
    options.hidden_act = Activation::kSilu;  // the encoder's own, which does not belong to the head
    const auto w = weights(options);
    std::vector<at::Tensor> t;
    for (const auto& item : mlm_head_shapes(options)) t.push_back(w.at(item.first));
    const at::Tensor states = objectives::random_tensor({3, 4}, 1),
                     words = objectives::random_tensor({7, 4}, 2);
    const at::Tensor dense = states.matmul(t[0].t()) + t[1];
    const at::Tensor x =
        activation == Activation::kRelu ? at::relu(dense) : at::gelu(dense, "none");
    const at::Tensor expected =
        at::layer_norm(x, {4}, t[2], t[3], options.layer_norm_eps).matmul(words.t()) + t[4];
    EXPECT_TRUE(MlmHead(options, w).logits(states, words).allclose(expected, 1e-12, 1e-12));
  }
}

TEST(MlmHead, HasNoBiasAndIsNarrowWhereTheArchitectureSaysSo) {
  Architecture options = small();
  options.mlm_dense_bias = options.norm_bias = false;
  options.embedding_size = 3;
  options.embedding_projection = true;
  const auto w = weights(options);
  ASSERT_EQ(w.size(), 3u);
  const at::Tensor states = objectives::random_tensor({3, 4}, 1),
                   words = objectives::random_tensor({7, 3}, 2);
  const at::Tensor dense =
      at::gelu(states.matmul(w.at("cls.predictions.transform.dense.weight").t()), "none");
  const at::Tensor x =
      at::layer_norm(dense, {3}, w.at("cls.predictions.transform.LayerNorm.weight"), {},
                     options.layer_norm_eps);
  EXPECT_TRUE(MlmHead(options, w)
                  .logits(states, words)
                  .allclose(x.matmul(words.t()) + w.at("cls.predictions.bias"), 1e-12, 1e-12));
}

TEST(MlmHead, GradientByDifferences) {
  const Architecture options = small(Activation::kGeluTanh);
  std::vector<at::Tensor> inputs = {objectives::random_tensor({3, 4}, 1),
                                    objectives::random_tensor({7, 4}, 2)};
  const auto shapes = mlm_head_shapes(options);
  for (const auto& item : weights(options)) inputs.push_back(item.second);
  objectives::expect_gradient_by_differences(
      [&](const std::vector<at::Tensor>& x) {
        std::map<std::string, at::Tensor> w;
        size_t next = 2;
        for (const auto& item : weights(options)) w[item.first] = x[next++];
        return MlmHead(options, w).logits(x[0], x[1]).square().sum();
      },
      inputs, 1e-4);
}

TEST(MlmHead, StartsAtRandomWithNormOneAndBiasZero) {
  Architecture options = small();
  options.hidden_size = 64;
  const auto named = MlmHead::random(options, 5).named_parameters();
  EXPECT_NEAR(named[0].second.square().mean().sqrt().item<double>(), 0.02, 0.002);
  EXPECT_EQ(named[1].second.abs().max().item<double>(), 0);
  EXPECT_EQ(named[2].second.min().item<double>(), 1);
  EXPECT_EQ(named[4].second.abs().max().item<double>(), 0);
  EXPECT_TRUE(named[0].second.equal(MlmHead::random(options, 5).named_parameters()[0].second));
  EXPECT_FALSE(named[0].second.equal(MlmHead::random(options, 6).named_parameters()[0].second));
}

TEST(MlmHead, NamesTheTensorThatIsMissingOrMisshapen) {
  const Architecture options = small();
  auto missing = weights(options), misshapen = missing;
  missing.erase("cls.predictions.bias");
  misshapen["cls.predictions.transform.dense.bias"] = objectives::random_tensor({5}, 1);
  for (const auto& [w, status, part] :
       {std::tuple(missing, Status::kNotFound, "cls.predictions.bias"),
        std::tuple(misshapen, Status::kMismatch, "cls.predictions.transform.dense.bias")}) {
    expect_error(status, part, [&, w = w] { MlmHead(options, w); });
  }
}

}  // namespace
}  // namespace contrastive::nn
