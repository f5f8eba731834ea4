#include "core/torch/methods/clsr/clsr.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/core/torch/methods/clsr/clsr_tests.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

data::Batch batch_of(const std::vector<std::pair<std::string, std::string>>& pairs,
                     int64_t first_index = -1) {
  data::Batch batch;
  for (const auto& [a, b] : pairs) {
    batch.indices.push_back(first_index < 0 ? -1 : first_index + batch.size());
    batch.examples.push_back({a, b, true, 0});
  }
  return batch;
}

double clsr_loss(const std::string& json, const data::Batch& batch) {
  return loss_terms(*make(json), batch).total().item<double>();
}

TEST(Clsr, StartsAsTheEncoderWithIdentityAndResidual) {
  const std::vector<std::string_view> texts = {"the first text", "another"};
  const auto start = tiny_model();
  model::EncodeOptions options;
  options.normalize = 0;
  at::Tensor base = at::empty({2, start->dimension()}, at::kFloat);
  start->encode(texts, options, base.mutable_data_ptr<float>());
  for (const char* init : {"identity", "residual"}) {
    EXPECT_TRUE(
        embeddings(*make(std::string(R"({"clsr.encoder_init": ")") + init + "\"}", start), texts)
            .allclose(base, 1e-5, 1e-6))
        << init;
  }
  EXPECT_TRUE(
      embeddings(*make(R"({"clsr.eval_vector": "x"})", start), texts).allclose(base, 1e-5, 1e-6));
}

TEST(Clsr, DeliversWhatItEmbeds) {
  const std::vector<std::string_view> texts = {"the first text", "another", "",
                                               "a third, rather longer text of some words"};
  for (const char* json :
       {"{}", R"({"clsr.encoder_init": "identity"})",
        R"({"clsr.encoder_init": "residual", "clsr.hidden": 20})", R"({"clsr.eval_vector": "z"})",
        R"({"clsr.eval_vector": "z", "clsr.projection": "mlp", "clsr.projection_dim": 9})",
        R"({"clsr.eval_vector": "x"})",
        R"({"clsr.base_pooling": "cls", "clsr.dimension": 24, "clsr.activation": "hidden"})",
        R"({"clsr.input_norm": "standardize", "clsr.encoder_init": "residual"})"}) {
    const auto method = make(json);
    method->prepare(toy_pairs(30).get(), nullptr);
    loss_terms(*method, batch_of({{"a", "b"}, {"c", "d"}}));
    const auto encoder = method->deliver();
    EXPECT_EQ(encoder->dimension(), method->dimension()) << json;
    model::EncodeOptions options;
    options.normalize = 0;
    at::Tensor delivered = at::empty({4, encoder->dimension()}, at::kFloat);
    encoder->encode(texts, options, delivered.mutable_data_ptr<float>());
    EXPECT_TRUE(delivered.allclose(embeddings(*method, texts), 1e-4, 1e-5)) << json;
  }
}

TEST(Clsr, StandardizedInputHasMeanZeroAndDeviationOne) {
  const auto method =
      make(R"({"clsr.input_norm": "standardize", "clsr.encoder_init": "identity"})");
  const auto data = toy_pairs(60);
  method->prepare(data.get(), nullptr);
  std::vector<data::Example> examples;
  std::vector<std::string_view> texts;
  for (int64_t i = 0; i < 60; ++i) examples.push_back(data->get(i));
  for (const auto& example : examples) texts.insert(texts.end(), {example.a, example.b});
  const at::Tensor x = embeddings(*method, texts);
  EXPECT_LT(x.mean(0).abs().max().item<double>(), 1e-4);
  EXPECT_TRUE(x.square().mean(0).allclose(at::ones_like(x[0]), 1e-3, 1e-3));
}

// A saved run is untrusted input: its numbers must not cause access outside of the caller's memory.
TEST(Clsr, ASavedStateOfAnotherShapeIsAMismatch) {
  const auto method = make(R"({"clsr.input_norm": "standardize"})");
  const MethodState whole = method->save_state();
  const int64_t width = tiny_model()->dimension();
  const auto load = [&](const char* name, const at::Tensor& tensor) {
    MethodState state = whole;
    state.tensors["input.mean"] = at::empty({width}, at::kFloat).zero_();
    state.tensors["input.scale"] = at::empty({width}, at::kFloat).fill_(1);
    state.tensors[name] = tensor;
    method->load_state(state);
  };
  expect_error(Status::kMismatch, "the saved run standardises by [1000, 1, 32] numbers",
               [&] { load("input.mean", at::empty({1000, 1, width}, at::kFloat).zero_()); });
  expect_error(Status::kMismatch, "the saved run standardises by [33] numbers",
               [&] { load("input.scale", at::empty({width + 1}, at::kFloat).fill_(1)); });
  expect_error(Status::kMismatch, "the saved run standardises by [32] numbers",
               [&] { load("input.mean", at::empty({width}, at::kLong).zero_()); });
  expect_error(Status::kMismatch, "the saved run's embedding cache holds vectors of [0",
               [&] { load("cache.records", at::empty({}, at::kLong).zero_()); });
  expect_error(Status::kMismatch, "the saved run's embedding cache holds vectors of [0",
               [&] { load("cache.vectors", at::empty({0, width}, at::kLong)); });
  EXPECT_NO_THROW(load("input.mean", at::empty({width}, at::kFloat).zero_()));
}

TEST(Clsr, MaskTakesEqualTextsOutOfTheNegatives) {
  const data::Batch repeated = batch_of({{"same", "one"}, {"same", "two"}, {"other", "three"}});
  const data::Batch distinct = batch_of({{"same", "one"}, {"else", "two"}, {"other", "three"}});
  const std::string mask = R"({"clsr.false_negatives": "mask", "clsr.encoder_init": "identity"})",
                    keep = R"({"clsr.encoder_init": "identity"})";
  EXPECT_LT(clsr_loss(mask, repeated), clsr_loss(keep, repeated));
  EXPECT_DOUBLE_EQ(clsr_loss(mask, distinct), clsr_loss(keep, distinct));
}

TEST(Clsr, DegenerateBatches) {
  EXPECT_DOUBLE_EQ(clsr_loss("{}", batch_of({{"alone", "and only"}})), 0);
  const std::string identity = R"({"clsr.encoder_init": "identity"})";
  EXPECT_NEAR(clsr_loss(identity, batch_of({{"same", "same"}, {"same", "same"}, {"same", "same"}})),
              std::log(5.0), 1e-4);
  EXPECT_TRUE(std::isfinite(clsr_loss("{}", batch_of({{"", ""}, {"a", ""}}))));
  data::Batch single = batch_of({{"a", "b"}, {"c", "d"}}, 7);
  single.examples[1].has_b = false;
  expect_error(Status::kArgument, "example 8 has one text only",
               [&] { loss_terms(*make("{}"), single); });
}

TEST(Clsr, RememberedRowsAreThoseOfTheTexts) {
  const auto method = make("{}");
  const data::Batch first = batch_of({{"a one", "b one"}, {"a two", "b two"}}, 4);
  const double loss = loss_terms(*method, first).total().item<double>();
  EXPECT_GT(method->views(batch_of({{"fresh", "texts"}, {"are", "encoded"}}, 0)).tokens, 0);
  EXPECT_EQ(method->views(first).tokens, 0);
  const LossTerms again = loss_terms(*method, first);
  EXPECT_DOUBLE_EQ(again.total().item<double>(), loss);
}

}  // namespace
}  // namespace contrastive::methods
