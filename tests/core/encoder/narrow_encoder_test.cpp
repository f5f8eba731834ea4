// Encoders in int8 and bfloat16 against the same encoder in float32, and what an int8 encoder
// refuses.
#include "core/encoder/narrow_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/cpu/builds.h"
#include "core/encoder/inference.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/nn/sample_encoder.h"
#include "tests/expect_error.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first

namespace {

using cpu::Narrow;
using cpu::NarrowKernels;

TensorMap weights_of(const TrainableEncoder& encoder) {
  TensorMap weights;
  for (const auto& [name, parameter] : on_cpu(encoder).named_parameters())
    weights.emplace(name, parameter);
  return weights;
}

NarrowEncoder narrow(const TrainableEncoder& encoder, Narrow format) {
  return NarrowEncoder(encoder.architecture(), weights_of(encoder), format);
}

// The last layer's states, computed by one build.
at::Tensor states(const NarrowEncoder& encoder, const SampleBatch& batch,
                  const NarrowKernels& build, int threads = 1) {
  at::Tensor result;
  run_on_cpu(
      encoder.architecture(), encoder.view(), batch.view(),
      {encoder.architecture().num_hidden_layers}, false, threads,
      [&](int64_t, const float* rows, bool) {
        result = at::from_blob(const_cast<float*>(rows),
                               {batch.view().tokens(), encoder.architecture().hidden_size})
                     .clone();
      },
      build);
  return result;
}

at::Tensor float_states(const TrainableEncoder& encoder, const SampleBatch& batch) {
  const c10::NoGradGuard no_grad;
  return encoder.run_layers(encoder.embed(batch.view()), batch.view()).back();
}

double mean_cosine(const at::Tensor& a, const at::Tensor& b) {
  return at::cosine_similarity(a, b, 1).mean().item<double>();
}

std::vector<float> pooled(const encoder::Encoder& encoder, const SampleBatch& batch,
                          const char* pooling) {
  std::vector<float> out(
      static_cast<size_t>(batch.view().texts * encoder.architecture().hidden_size));
  encoder.infer(batch.view(), {parse_pooling(pooling, encoder.architecture().num_hidden_layers)},
                {nullptr}, out.data(), 2);
  return out;
}

TEST(NarrowEncoder, FirstTokensAloneAreTheSameBits) {
  const Architecture options = sample_options("bert");
  const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
  for (const Narrow format : {Narrow::kInt8, Narrow::kBfloat16}) {
    if (cpu::builds(format).empty()) continue;
    const NarrowEncoder rounded = narrow(encoder, format);
    for (const std::vector<int64_t>& lengths :
         {std::vector<int64_t>{3}, {20, 30}, {5, 4, 3, 40}, kLengths}) {
      const SampleBatch batch(lengths, options);
      for (const NarrowKernels* build : cpu::builds(format)) {
        const at::Tensor whole = states(rounded, batch, *build);
        const auto compare = [&](int64_t, const float* rows, bool first_only) {
          EXPECT_TRUE(first_only);
          for (int64_t text = 0; text < batch.view().texts; ++text) {
            const at::Tensor expected = whole[batch.offsets[static_cast<size_t>(text)]];
            const float* row = rows + text * options.hidden_size;
            EXPECT_EQ(std::memcmp(row, expected.const_data_ptr<float>(),
                                  static_cast<size_t>(options.hidden_size) * sizeof(float)),
                      0)
                << build->name;
          }
        };
        run_on_cpu(rounded.architecture(), rounded.view(), batch.view(),
                   {options.num_hidden_layers}, true, 2, compare, *build);
      }
    }
  }
}

TEST(NarrowEncoder, Int8IsNearFloat32InEveryBuild) {
  for (const std::string family : {"bert", "roberta"}) {
    for (const Activation act : {Activation::kGeluErf, Activation::kRelu, Activation::kSilu}) {
      Architecture options = sample_options(family);
      options.hidden_act = act;
      options.initializer_range = 0.1;  // with the range of sample_options, attention is so sharp
                                        // that rounding changes its choices
      const TrainableEncoder encoder = TrainableEncoder::random(options, 7);
      const SampleBatch batch(kLengths, options);
      const at::Tensor expected = float_states(encoder, batch);
      const NarrowEncoder rounded = narrow(encoder, Narrow::kInt8);
      at::Tensor first;
      for (const NarrowKernels* build : cpu::builds(Narrow::kInt8)) {
        const at::Tensor got = states(rounded, batch, *build);
        EXPECT_GT(mean_cosine(got, expected), 0.999)
            << build->name << ", activation " << static_cast<int>(act);
        if (!first.defined()) first = got;
        // The sums are bit-identical. Steps between them may differ in a last bit, which may move a
        // number to the next byte.
        EXPECT_GT(mean_cosine(got, first), 0.99999) << build->name;
      }
    }
  }
}

TEST(NarrowEncoder, ATextsStatesDependNeitherOnItsBatchNorOnTheThreads) {
  const NarrowEncoder encoder =
      narrow(TrainableEncoder::random(sample_options(), 3), Narrow::kInt8);
  const SampleBatch batch(kLengths, encoder.architecture());
  for (const NarrowKernels* build : cpu::builds(Narrow::kInt8)) {
    const at::Tensor together = states(encoder, batch, *build);
    EXPECT_TRUE(states(encoder, batch, *build, 4).equal(together)) << build->name;
    for (size_t text = 0; text < kLengths.size(); ++text) {
      SampleBatch alone({}, encoder.architecture());
      alone.ids.assign(batch.ids.begin() + batch.offsets[text],
                       batch.ids.begin() + batch.offsets[text + 1]);
      alone.type_ids.assign(batch.type_ids.begin() + batch.offsets[text],
                            batch.type_ids.begin() + batch.offsets[text + 1]);
      alone.offsets.push_back(kLengths[text]);
      EXPECT_TRUE(states(encoder, alone, *build)
                      .equal(together.slice(0, batch.offsets[text], batch.offsets[text + 1])))
          << build->name << ", text " << text;
    }
  }
}

TEST(NarrowEncoder, Bfloat16IsNearFloat32WithAndWithoutKernels) {
  for (const std::string family : {"bert", "roberta"}) {
    Architecture options = sample_options(family);
    options.initializer_range = 0.1;
    const TrainableEncoder encoder = TrainableEncoder::random(options, 7, true);
    const SampleBatch batch(kLengths, options);
    const std::vector<float> expected = pooled(on_cpu(encoder), batch, "cls-pooler");
    TrainableEncoder halved = encoder.clone();
    halved.to(c10::kCPU, at::kBFloat16);
    std::vector<std::vector<float>> found{pooled(TorchEncoder(halved), batch, "cls-pooler")};
    if (cpu::narrow_kernels(Narrow::kBfloat16) != nullptr) {
      const NarrowEncoder rounded = narrow(encoder, Narrow::kBfloat16);
      EXPECT_EQ(rounded.precision(), runtime::Precision::kBFloat16);
      found.push_back(pooled(rounded, batch, "cls-pooler"));
      EXPECT_EQ(pooled(*rounded.clone(), batch, "cls-pooler"), found.back());
      for (const auto& [name, tensor] : rounded.named_parameters()) {
        const at::Tensor whole = tensors::to_torch(weights_of(encoder).at(name)),
                         now = tensors::to_torch(tensor);
        EXPECT_TRUE(now.equal(whole.to(at::kBFloat16).to(at::kFloat)))
            << name << ": as LibTorch rounds";
      }
    } else {
      std::cout << "this processor has no instructions for bfloat16: its kernels were not tried\n";
    }
    for (const std::vector<float>& got : found) {
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 0.05);
    }
  }
}

TEST(NarrowEncoder, AnEncoderInInt8PoolsAndCopiesAndSaysWhatItRefuses) {
  const TrainableEncoder floats = TrainableEncoder::random(sample_options(), 3, true);
  const NarrowEncoder encoder = narrow(floats, Narrow::kInt8);
  const SampleBatch batch({5, 9}, encoder.architecture());
  EXPECT_TRUE(encoder.has_pooler() && encoder.computes_on_caller() && encoder.device().is_cpu());
  EXPECT_EQ(encoder.precision(), runtime::Precision::kInt8);
  EXPECT_EQ(pooled(encoder, batch, "cls-pooler"), pooled(*encoder.clone(), batch, "cls-pooler"));
  int64_t pieces = 0;
  encoder.visit_bytes(
      [&](const std::string&, std::string_view bytes) { pieces += bytes.empty() ? 0 : 1; });
  EXPECT_GT(pieces, 20);
  const int64_t whole = on_cpu(floats).weight_bytes();
  EXPECT_EQ(whole, TorchEncoder(floats).weight_bytes());
  EXPECT_LT(encoder.weight_bytes(), whole * 3 / 4);  // rows are padded, and this model is small
  EXPECT_GT(encoder.weight_bytes(), whole / 5);
  expect_error(Status::kState, "int8", [&] { encoder.named_parameters(); });
}

TEST(NarrowEncoder, WhatIsTrainedIsFloat32) {
  const TrainableEncoder floats = TrainableEncoder::random(sample_options(), 3);
  for (const Narrow format : {Narrow::kInt8, Narrow::kBfloat16}) {
    if (cpu::narrow_kernels(format) == nullptr) continue;
    const NarrowEncoder encoder = narrow(floats, format);
    expect_error(Status::kArgument, "float32", [&] { trainable(encoder); });
  }
}

TEST(NarrowEncoder, NumbersOfAnotherTypeAreNamed) {
  TensorMap weights = random_weights(sample_options(), 1);
  weights["encoder.layer.1.output.dense.bias"] =
      Tensor({sample_options().hidden_size}, ElementType::kInt64);
  expect_error(Status::kMismatch, "encoder.layer.1.output.dense.bias",
               [&] { NarrowEncoder(sample_options(), weights, Narrow::kInt8); });
  expect_error(Status::kMismatch, "encoder.layer.1.output.dense.bias",
               [&] { FloatEncoder(sample_options(), weights); });
}

TEST(NarrowEncoder, AWidthWhoseSumsOverflowIsRefused) {
  Architecture options = sample_options();
  options.num_hidden_layers = 1;
  options.hidden_size = options.num_attention_heads = 1;
  options.intermediate_size = 66312;
  const TensorMap weights = random_weights(options, 1);
  expect_error(Status::kLimit, "66311", [&] { NarrowEncoder(options, weights, Narrow::kInt8); });
}

// A NaN in an attention score must reach the vector, where it is detected: the softmax must not
// treat it as a small number.
TEST(NarrowEncoder, NotANumberInAttentionReachesEveryVector) {
  const TrainableEncoder encoder = TrainableEncoder::random(sample_options(), 3);
  encoder.weights().layers[0].key.bias.detach()[0] = NAN;
  const SampleBatch batch({5, 40}, encoder.architecture());
  std::vector<std::vector<float>> found{pooled(on_cpu(encoder), batch, "mean"),
                                        pooled(on_cpu(encoder), batch, "max"),
                                        pooled(narrow(encoder, Narrow::kInt8), batch, "mean")};
  if (cpu::narrow_kernels(Narrow::kBfloat16) != nullptr)
    found.push_back(pooled(narrow(encoder, Narrow::kBfloat16), batch, "cls"));
  for (size_t i = 0; i < found.size(); ++i) {
    const int64_t width = encoder.architecture().hidden_size;
    for (int64_t text = 0; text < 2; ++text) {
      int64_t numbers = 0;
      for (int64_t h = 0; h < width; ++h)
        numbers += std::isnan(found[i][static_cast<size_t>(text * width + h)]) ? 0 : 1;
      EXPECT_LT(numbers, width) << "way " << i << ", text " << text;
    }
  }
}

}  // namespace
}  // namespace contrastive::nn
