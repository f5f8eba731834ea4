// The encoder's two paths against each other, and the properties that both must have. Agreement
// with Hugging Face is tested in tests/core/model, where checkpoints can be read.
#include "core/torch/nn/trainable_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/cpu/builds.h"
#include "core/encoder/inference.h"
#include "core/torch/nn/cpu/embedding.h"
#include "tests/core/torch/nn/sample_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// The states of one layer, computed by one build of the CPU kernels.
at::Tensor states_on_cpu(const TrainableEncoder& encoder, const SampleBatch& batch, int64_t layer,
                         const cpu::EncodeKernels& table, int threads = 1) {
  at::Tensor result;
  run_on_cpu(
      encoder.architecture(), on_cpu(encoder).view(), batch.view(), {layer}, false, threads,
      [&](int64_t, const float* states, bool) {
        result = at::from_blob(const_cast<float*>(states),
                               {batch.view().tokens(), encoder.architecture().hidden_size})
                     .clone();
      },
      table);
  return result;
}

TEST(TrainableEncoder, EveryKernelBuildGivesTheStatesOfTheDifferentiablePath) {
  const c10::NoGradGuard no_grad;
  for (const std::string family : {"bert", "roberta"}) {
    for (const Activation act :
         {Activation::kGeluErf, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
      Architecture options = sample_options(family);
      options.hidden_act = act;
      const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
      const SampleBatch batch(kLengths, options);
      const std::vector<at::Tensor> states =
          encoder.run_layers(encoder.embed(batch.view()), batch.view());
      for (const cpu::EncodeKernels* table : cpu::builds(&cpu::Kernels::encode)) {
        for (int64_t layer = 0; layer <= options.num_hidden_layers; ++layer) {
          EXPECT_LT(largest_difference(states_on_cpu(encoder, batch, layer, *table),
                                       states[static_cast<size_t>(layer)]),
                    2e-5)
              << table->name << ", layer " << layer << ", activation " << static_cast<int>(act);
        }
      }
    }
  }
}

// What pooling `cls` computes in the last layer, and what it skips.
TEST(TrainableEncoder, FirstTokensAloneAreTheSameBits) {
  const Architecture options = sample_options("bert");
  const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  const std::vector<std::vector<int64_t>> all_lengths = {{1},       {3},        {8},
                                                         {9},       {17},       {20},
                                                         {5, 4, 3}, {2, 2},     {16, 1},
                                                         {20, 30},  {33, 2, 2}, {40, 40, 40},
                                                         kLengths};
  for (const cpu::EncodeKernels* table : cpu::builds(&cpu::Kernels::encode)) {
    int alone = 0;
    for (const auto& lengths : all_lengths) {
      const SampleBatch batch(lengths, options);
      const int64_t last = options.num_hidden_layers;
      const at::Tensor whole = states_on_cpu(encoder, batch, last, *table);
      for (const int threads : {1, 2}) {
        run_on_cpu(
            encoder.architecture(), on_cpu(encoder).view(), batch.view(), {last}, true, threads,
            [&](int64_t, const float* states, bool first_only) {
              alone += first_only ? 1 : 0;
              for (int64_t text = 0; text < batch.view().texts; ++text) {
                const float* row =
                    states + (first_only ? text : batch.offsets[static_cast<size_t>(text)]) *
                                 options.hidden_size;
                const at::Tensor expected = whole[batch.offsets[static_cast<size_t>(text)]];
                EXPECT_EQ(std::memcmp(row, expected.const_data_ptr<float>(),
                                      static_cast<size_t>(options.hidden_size) * sizeof(float)),
                          0)
                    << table->name << ", text " << text << " of " << lengths.size() << ", "
                    << batch.view().tokens() << " tokens";
              }
            },
            *table);
      }
    }
    EXPECT_GE(alone, 18) << table->name;
  }
}

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

TEST(TrainableEncoder, ATextsStatesDependNeitherOnItsBatchNorOnTheThreads) {
  const Architecture options = sample_options();
  const TrainableEncoder encoder = TrainableEncoder::random(options, 3);
  const SampleBatch batch(kLengths, options);
  for (const cpu::EncodeKernels* table : cpu::builds(&cpu::Kernels::encode)) {
    const at::Tensor together = states_on_cpu(encoder, batch, 3, *table);
    EXPECT_TRUE(states_on_cpu(encoder, batch, 3, *table, 4).equal(together)) << table->name;
    for (size_t text = 0; text < kLengths.size(); ++text) {
      SampleBatch alone({}, options);
      alone.ids.assign(batch.ids.begin() + batch.offsets[text],
                       batch.ids.begin() + batch.offsets[text + 1]);
      alone.type_ids.assign(batch.type_ids.begin() + batch.offsets[text],
                            batch.type_ids.begin() + batch.offsets[text + 1]);
      alone.offsets.push_back(kLengths[text]);
      // The tail of a small batch is summed in another order, so the last bits differ.
      EXPECT_LT(largest_difference(states_on_cpu(encoder, alone, 3, *table),
                                   together.slice(0, batch.offsets[text], batch.offsets[text + 1])),
                5e-6)
          << table->name << ", text " << text;
    }
  }
}

TEST(TrainableEncoder, InferPoolsAsTheDifferentiablePathDoes) {
  const c10::NoGradGuard no_grad;
  const Architecture options = sample_options();
  const TrainableEncoder encoder = TrainableEncoder::random(options, 11, true);
  const SampleBatch batch(kLengths, options);
  std::vector<uint8_t> keep(batch.ids.size());
  for (size_t i = 0; i < keep.size(); ++i) keep[i] = i % 3 != 0;
  const std::vector<at::Tensor> states =
      encoder.run_layers(encoder.embed(batch.view()), batch.view());
  std::vector<Pooling> poolings;
  for (const char* name : {"cls", "cls-pooler", "mean", "max", "mean-sqrt", "weightedmean",
                           "lasttoken", "last2", "first-last", "embed-last", "layer:2:max"}) {
    poolings.push_back(parse_pooling(name, options.num_hidden_layers));
  }
  const int64_t texts = batch.view().texts, hidden = options.hidden_size,
                width = hidden * static_cast<int64_t>(poolings.size());
  for (const uint8_t* mask :
       {static_cast<const uint8_t*>(nullptr), static_cast<const uint8_t*>(keep.data())}) {
    std::vector<float> out(static_cast<size_t>(texts * width));
    on_cpu(encoder).infer(batch.view(), poolings,
                          std::vector<const uint8_t*>(poolings.size(), mask), out.data(), 2);
    const at::Tensor got = at::from_blob(out.data(), {texts, width});
    for (size_t i = 0; i < poolings.size(); ++i) {
      const auto column = static_cast<int64_t>(i) * hidden;
      EXPECT_LT(largest_difference(got.slice(1, column, column + hidden),
                                   encoder.pool(poolings[i], states, batch.view(), mask)),
                2e-5)
          << poolings[i].name;
    }
  }
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

TEST(TrainableEncoder, NamesAndShapesAreHuggingFaces) {
  const TrainableEncoder encoder = TrainableEncoder::random(sample_options(), 1, true);
  const auto named = encoder.named_parameters();
  ASSERT_EQ(named.size(), 5U + 3U * 16U + 2U);
  EXPECT_EQ(named.front().first, "embeddings.word_embeddings.weight");
  EXPECT_EQ(named[5].first, "encoder.layer.0.attention.self.query.weight");
  EXPECT_EQ(named.back().first, "pooler.dense.bias");
}

TEST(TrainableEncoder, WrongWeightsAndIdsAreNamed) {
  const Architecture options = sample_options();
  const TrainableEncoder encoder = TrainableEncoder::random(options, 1);
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, parameter] : encoder.named_parameters()) weights[name] = parameter;
  weights.erase("encoder.layer.1.output.dense.bias");
  try {
    TrainableEncoder incomplete(options, weights);
    FAIL() << "a missing tensor was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kNotFound);
    EXPECT_THAT(error.message(), testing::HasSubstr("encoder.layer.1.output.dense.bias"));
  }
  SampleBatch batch({3}, options);
  batch.ids[1] = 97;
  try {
    encoder.embed(batch.view());
    FAIL() << "an id outside the vocabulary was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kArgument);
    EXPECT_THAT(error.message(), testing::HasSubstr("97"));
  }
  const SampleBatch long_batch({131}, options);
  EXPECT_THROW(encoder.embed(long_batch.view()), Error);
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
