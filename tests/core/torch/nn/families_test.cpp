// Every family of encoders on a tiny checkpoint: the three paths through an encoder against
// transformers' hidden states and gradients, and the written file against the one that was read.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/cpu/builds.h"
#include "core/encoder/float_encoder.h"
#include "core/encoder/inference.h"
#include "core/io/families/family.h"
#include "core/io/hf_config.h"
#include "core/io/safetensors.h"
#include "core/io/weight_names.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/nn/cpu/training_batch.h"
#include "tests/fixtures_folder.h"

namespace contrastive::nn {
namespace {

const std::string kFamilies = fixtures() + "/families/";

struct Golden {
  std::vector<int32_t> ids;
  at::Tensor first, last, mean;  // [hidden]
};

at::Tensor numbers(const Json& list) {
  std::vector<float> values = list.get<std::vector<float>>();
  return at::from_blob(values.data(), {static_cast<int64_t>(values.size())}, at::kFloat).clone();
}

// A folder of tests/fixtures/families, made by tests/golden/families/make.py.
struct Checkpoint {
  encoder::Architecture architecture;
  Json config, golden;
  TensorMap file, weights;
  std::vector<Golden> texts;

  explicit Checkpoint(const std::string& name) {
    const std::string folder = kFamilies + name;
    config = read_json_file(folder + "/config.json");
    golden = read_json_file(folder + "/golden.json");
    std::vector<std::string> notes;
    architecture = io::read_hf_config(config, name, notes);
    file = io::read_safetensors(folder + "/model.safetensors");
    const io::SafetensorsFile opened(folder + "/model.safetensors");
    std::vector<io::TensorSource> sources;
    for (const auto& entry : opened.entries()) sources.push_back({&opened, &entry});
    for (const auto& [weight, source] : io::match_weights(sources, architecture, name, notes)) {
      const Tensor& whole = file.at(source.tensor.entry->name);
      std::vector<int64_t> shape = whole.shape();
      const int64_t row = whole.elements() / shape[0];
      shape[0] = source.rows;
      Tensor part(shape);
      std::copy_n(whole.floats() + source.first_row * row, part.elements(), part.mutable_floats());
      weights[weight] = part;
    }
    for (const Json& text : golden.at("texts")) {
      texts.push_back({text.at("ids").get<std::vector<int32_t>>(), numbers(text.at("first")),
                       numbers(text.at("last")), numbers(text.at("mean"))});
    }
  }
};

struct Batch {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets{0};

  explicit Batch(const std::vector<Golden>& texts) {
    for (const Golden& text : texts) {
      ids.insert(ids.end(), text.ids.begin(), text.ids.end());
      offsets.push_back(static_cast<int64_t>(ids.size()));
    }
  }
  PackedTokens view() const {
    return {ids.data(), nullptr, offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
  }
};

// `states` [tokens, hidden] of the concatenated texts.
void expect_states(const at::Tensor& states, const std::vector<Golden>& texts,
                   const std::string& what) {
  int64_t begin = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const at::Tensor own =
        states.slice(0, begin, begin + static_cast<int64_t>(texts[i].ids.size()));
    begin += own.size(0);
    const auto far = [](const at::Tensor& a, const at::Tensor& b) {
      return (a - b).abs().max().item<double>();
    };
    EXPECT_LT(far(own[0], texts[i].first), 1e-5) << what << ", first token of text " << i;
    EXPECT_LT(far(own[-1], texts[i].last), 1e-5) << what << ", last token of text " << i;
    EXPECT_LT(far(own.mean(0), texts[i].mean), 1e-5) << what << ", mean of text " << i;
  }
}

class Families : public testing::TestWithParam<std::string> {};

TEST_P(Families, LibTorchsOperationsGiveTransformersStates) {
  const Checkpoint checkpoint(GetParam());
  const TrainableEncoder encoder(checkpoint.architecture, tensors::to_torch(checkpoint.weights));
  const c10::NoGradGuard no_grad;
  TrainableEncoder wide = encoder.clone();  // in float64 only LibTorch's operations can compute it
  wide.to(at::kCPU, at::kDouble);
  const Batch all(checkpoint.texts);
  expect_states(wide.run_layers(wide.embed(all.view()), all.view()).back().to(at::kFloat),
                checkpoint.texts, "together");
  for (const Golden& text : checkpoint.texts) {
    const Batch alone({text});
    expect_states(wide.run_layers(wide.embed(alone.view()), alone.view()).back().to(at::kFloat),
                  {text}, "alone");
  }
}

TEST_P(Families, TheCpusKernelsGiveTransformersStates) {
  const Checkpoint checkpoint(GetParam());
  if (!encoder::kernels_infer(checkpoint.architecture)) {
    const std::set<std::string> on_libtorch{"albert", "albert_groups", "electra",
                                            "gemma3", "gemma3_causal", "qwen3",
                                            "t5",     "t5_gated"};
    EXPECT_EQ(on_libtorch.count(GetParam()), 1u) << "the kernels do not cover it";
    return;
  }
  const encoder::FloatEncoder encoder(checkpoint.architecture, checkpoint.weights);
  for (const cpu::EncodeKernels* build : cpu::builds(&cpu::Kernels::encode)) {
    for (const int threads : {1, 2}) {
      const auto states = [&](const Batch& batch) {
        at::Tensor result;
        const int64_t last = checkpoint.architecture.num_hidden_layers;
        encoder::run_on_cpu(
            checkpoint.architecture, encoder.view(), batch.view(), {last}, false, threads,
            [&](int64_t, const float* rows, bool) {
              result = at::from_blob(const_cast<float*>(rows),
                                     {batch.view().tokens(), checkpoint.architecture.hidden_size})
                           .clone();
            },
            *build);
        return result;
      };
      expect_states(states(Batch(checkpoint.texts)), checkpoint.texts, build->name);
      for (const Golden& text : checkpoint.texts)
        expect_states(states(Batch({text})), {text}, cat(build->name, " alone"));
    }
  }
}

// As in training in float32: on the CPU's kernels if they cover the architecture.
TEST_P(Families, GradientsAreTransformers) {
  const Checkpoint checkpoint(GetParam());
  for (const bool checkpointing : {false, true}) {
    tensors::TorchTensorMap leaves;
    for (const auto& [name, weight] : checkpoint.weights)
      leaves[name] = tensors::to_torch(weight.clone());
    TrainableEncoder encoder(checkpoint.architecture, leaves);
    encoder.set_requires_grad(true);
    encoder.set_checkpointing(checkpointing);
    const Batch batch(checkpoint.texts);
    const at::Tensor states = encoder.run_layers(encoder.embed(batch.view()), batch.view()).back();
    expect_states(states.detach(), checkpoint.texts, "with a graph");
    at::Tensor loss;
    for (size_t i = 0; i < checkpoint.texts.size(); ++i) {
      const at::Tensor mean = states.slice(0, batch.offsets[i], batch.offsets[i + 1]).mean(0);
      const at::Tensor pattern =
          (at::arange(mean.size(0), at::kDouble) * 0.37).cos().to(at::kFloat);
      loss = loss.defined() ? loss + mean.dot(pattern) : mean.dot(pattern);
    }
    loss.backward();
    TensorMap gradients;
    for (const auto& [name, parameter] : encoder.named_parameters()) {
      gradients[name] = parameter.grad().defined()
                            ? tensors::from_torch(parameter.grad().contiguous())
                            : Tensor::filled(parameter.sizes().vec(), 0);
    }
    const Json& expected = checkpoint.golden.at("gradients");
    const TensorMap in_file = io::checkpoint_tensors(checkpoint.architecture, gradients);
    for (const auto& [name, value] : expected.items()) {
      ASSERT_EQ(in_file.count(name), 1u) << name;
      const Tensor& gradient = in_file.at(name);
      double product = 0, squares = 0;
      for (int64_t i = 0; i < gradient.elements(); ++i) {
        product += gradient.floats()[i] * std::cos(0.37 * static_cast<double>(i));
        squares += static_cast<double>(gradient.floats()[i]) * gradient.floats()[i];
      }
      const double length = value[1].get<double>(), allowed = 1e-5 * std::max(1.0, length);
      EXPECT_NEAR(product, value[0].get<double>(), allowed)
          << name << (checkpointing ? " checkpointed" : "");
      EXPECT_NEAR(std::sqrt(squares), length, allowed)
          << name << (checkpointing ? " checkpointed" : "");
    }
  }
}

TEST_P(Families, WhatIsWrittenIsWhatWasRead) {
  const Checkpoint checkpoint(GetParam());
  const TensorMap written = io::checkpoint_tensors(checkpoint.architecture, checkpoint.weights);
  for (const auto& [name, tensor] : written) {
    ASSERT_EQ(checkpoint.file.count(name), 1u) << name;
    EXPECT_TRUE(checkpoint.file.at(name) == tensor) << name;
  }
  EXPECT_EQ(written.size(), checkpoint.file.size());
  const Json config = io::write_hf_config(checkpoint.architecture, checkpoint.config);
  std::vector<std::string> notes;
  EXPECT_TRUE(io::read_hf_config(config, "written", notes) == checkpoint.architecture);
  for (const auto& [key, value] : checkpoint.config.items())
    EXPECT_EQ(config.at(key), value) << key;
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(fixtures_in("families")),
                         [](const auto& info) { return info.param; });

// JinaBERT, for which transformers has no class: the kernels and LibTorch's operations against each
// other, with a number of heads that is not a power of two.
TEST(FamiliesWithoutACheckpoint, TheKernelsBiasByDistanceAsLibTorchsOperations) {
  Architecture a;
  a.family = "jina_bert";
  a.vocab_size = 63;
  a.hidden_size = 24;
  a.num_hidden_layers = 2;
  a.num_attention_heads = 6;
  a.intermediate_size = 40;
  a.max_position_embeddings = 0;
  a.longest_text = 512;
  a.relative_bias = encoder::RelativeBias::kAlibi;
  a.initializer_range = 0.3;
  std::vector<Golden> texts = Checkpoint("bert").texts;
  for (const bool gated : {false, true}) {
    a.gated = gated;
    a.intermediate_bias = !gated;
    const TensorMap weights = encoder::random_weights(a, 5);
    TrainableEncoder wide(a, tensors::to_torch(weights));
    wide.to(at::kCPU, at::kDouble);
    const Batch all(texts);
    at::Tensor expected;
    {
      const c10::NoGradGuard no_grad;
      expected = wide.run_layers(wide.embed(all.view()), all.view()).back().to(at::kFloat);
    }
    Architecture unbiased = a;
    unbiased.relative_bias = encoder::RelativeBias::kNone;
    for (const bool biased : {true, false}) {
      const encoder::FloatEncoder encoder(biased ? a : unbiased, weights);
      at::Tensor states;
      encoder::run_on_cpu(encoder.architecture(), encoder.view(), all.view(), {2}, false, 2,
                          [&](int64_t, const float* rows, bool) {
                            states =
                                at::from_blob(const_cast<float*>(rows), expected.sizes()).clone();
                          });
      const double difference = (states - expected).abs().max().item<double>();
      if (biased) EXPECT_LT(difference, 2e-5);
      else EXPECT_GT(difference, 1e-2) << "the bias has no effect";
    }
  }
}

TEST(FamiliesList, EveryFamilyHasACheckpointOrAReason) {
  std::set<std::string> there;
  for (const std::string& name : fixtures_in("families"))
    there.insert(Checkpoint(name).architecture.family);
  there.insert("jina_bert");  // transformers has no class for it
  for (const io::Family& family : io::families())
    EXPECT_EQ(there.count(family.name), 1u) << family.name;
}

}  // namespace
}  // namespace contrastive::nn
