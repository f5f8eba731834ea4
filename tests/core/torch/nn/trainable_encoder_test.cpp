// The differentiable encoder: gradients, positions, initial weights, clones.
#include "core/torch/nn/trainable_encoder.h"

#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/cpu/builds.h"
#include "core/encoder/inference.h"
#include "core/torch/nn/cpu/embedding.h"
#include "tests/core/torch/nn/kernel_states.h"
#include "tests/core/torch/nn/sample_encoder.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

// transformers' create_position_ids_from_input_ids: cumsum(id != pad) * (id != pad) + pad.
TEST(TrainableEncoder, RobertaGivesAPadInATextNoPlace) {
  const c10::NoGradGuard no_grad;
  const Architecture options = sample_options("roberta");
  const TrainableEncoder encoder = TrainableEncoder::random(options, 5);
  const int32_t pad = static_cast<int32_t>(options.pad_token_id);
  SampleBatch batch({}, options);
  batch.ids = {0, 31, pad, 32, pad, pad, 2, 0, pad, 2};
  batch.type_ids.assign(batch.ids.size(), 0);
  batch.offsets = {0, 7, 10};
  std::vector<int32_t> rows, places;
  for (size_t text = 0; text < 2; ++text) {
    int32_t sum = 0;
    for (int64_t t = batch.offsets[text]; t < batch.offsets[text + 1]; ++t) {
      const int32_t is_token = batch.ids[static_cast<size_t>(t)] != pad;
      sum += is_token;
      rows.push_back(sum * is_token + pad);
      places.push_back(rows.back() - (pad + 1));
    }
  }
  EXPECT_EQ(rows, (std::vector<int32_t>{2, 3, 1, 4, 1, 1, 5, 2, 1, 3}));
  EXPECT_EQ(position_rows(options, batch.view()), rows);
  PackedTokens told = batch.view();
  told.positions = places.data();
  EXPECT_EQ(position_rows(options, told), rows);
  // The three paths through the encoder: differentiable, on the CPU's training kernels, and
  // inference.
  const at::Tensor expected = encoder.run_layers(encoder.embed(told), told).back();
  EXPECT_TRUE(encoder.run_layers(encoder.embed(batch.view()), batch.view()).back().equal(expected));
  EXPECT_LT(largest_difference(states_on_cpu(encoder, batch, options.num_hidden_layers,
                                             *cpu::builds(&cpu::Kernels::encode).front()),
                               expected),
            2e-5);
  EXPECT_EQ(embedding_rows(options, batch.view()).rows[1], rows);
  // A permuted view is computed as specified, together with one that is not permuted.
  std::vector<int32_t> mixed(7, PackedTokens::kOwnPlace);
  mixed.insert(mixed.end(), {2, 0, 1});
  told.positions = mixed.data();
  EXPECT_EQ(position_rows(options, told), (std::vector<int32_t>{2, 3, 1, 4, 1, 1, 5, 4, 2, 3}));
  // BERT counts every token.
  const Architecture bert = sample_options();
  EXPECT_EQ(position_rows(bert, batch.view()),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 0, 1, 2}));
}

TEST(TrainableEncoder, GradientsReachEveryParameter) {
  const Architecture options = sample_options();
  TrainableEncoder encoder = TrainableEncoder::random(options, 5, true);
  encoder.set_requires_grad(true);
  const SampleBatch batch({4, 9, 2}, options);
  Dropout dropout;
  dropout.hidden = dropout.attention = 0.2;
  dropout.examples = {10, 11, 12};
  const std::vector<at::Tensor> states =
      encoder.run_layers(encoder.embed(batch.view(), dropout), batch.view(), dropout);
  encoder.pool(parse_pooling("cls-pooler", 3), states, batch.view()).sum().backward();
  for (const auto& [name, parameter] : encoder.named_parameters()) {
    ASSERT_TRUE(parameter.grad().defined()) << name;
    // Biases of keys shift all scores of a row equally, so their gradient is 0 except for rounding.
    if (name.find("key.bias") != std::string::npos) continue;
    EXPECT_GT(parameter.grad().abs().max().item<double>(), 0) << name;
  }
}

// The checkpoints of tests/core/model test that the embedding block adds the rows of these
// positions.
TEST(TrainableEncoder, PositionsAreThePublishedOnes) {
  const Json published = read_json_file(fixtures() + "/vectors.json").at("position_ids");
  const auto ids_of = [](const std::string& family, int64_t pad, int64_t tokens) {
    Architecture options;
    options.family = family;
    options.pad_token_id = pad;
    options.first_position = family == "roberta" ? pad + 1 : 0;
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < tokens; ++i) ids.push_back(options.first_position + i);
    return ids;
  };
  EXPECT_EQ(ids_of("bert", 0, published["bert"]["seq_len"]),
            published["bert"]["expected"].get<std::vector<int64_t>>());
  const Json& roberta = published["roberta"];
  const auto pad = roberta["pad_id"].get<int64_t>();
  for (size_t row = 0; row < roberta["input_ids"].size(); ++row) {
    auto expected = roberta["expected"][row].get<std::vector<int64_t>>();
    expected.erase(std::find(expected.begin(), expected.end(), pad),
                   expected.end());  // packed texts have no padding
    EXPECT_EQ(ids_of("roberta", pad, static_cast<int64_t>(expected.size())), expected);
  }
}

TEST(TrainableEncoder, WrongWeightsAndIdsAreNamed) {
  const Architecture options = sample_options();
  const TrainableEncoder encoder = TrainableEncoder::random(options, 1);
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, parameter] : encoder.named_parameters()) weights[name] = parameter;
  weights.erase("encoder.layer.1.output.dense.bias");
  expect_error(Status::kNotFound, "encoder.layer.1.output.dense.bias",
               [&] { TrainableEncoder incomplete(options, weights); });
  SampleBatch batch({3}, options);
  batch.ids[1] = 97;
  expect_error(Status::kArgument, "token id 97 is outside the encoder's vocabulary",
               [&] { encoder.embed(batch.view()); });
  const SampleBatch long_batch({131}, options);
  expect_error(Status::kArgument, "text 0 has 131 tokens",
               [&] { encoder.embed(long_batch.view()); });
}

TEST(TrainableEncoder, ASeedDecidesTheInitialWeights) {
  const auto a = TrainableEncoder::random(sample_options(), 1).named_parameters(),
             b = TrainableEncoder::random(sample_options(), 1).named_parameters();
  const auto c = TrainableEncoder::random(sample_options(), 2).named_parameters();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first;
  EXPECT_FALSE(a[0].second.equal(c[0].second));
}

TEST(TrainableEncoder, ACloneHasWeightsOfItsOwn) {
  const TrainableEncoder encoder = TrainableEncoder::random(sample_options(), 1);
  const TrainableEncoder copy = encoder.clone();
  copy.weights().embeddings.words.zero_();
  EXPECT_GT(encoder.weights().embeddings.words.abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace contrastive::nn
