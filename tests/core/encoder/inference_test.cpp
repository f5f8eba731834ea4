#include "core/encoder/inference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/cpu/builds.h"
#include "core/torch/nn/trainable_encoder.h"
#include "tests/core/torch/nn/kernel_states.h"
#include "tests/core/torch/nn/sample_encoder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

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
  for (const std::string& name : pooling_names()) {
    const bool is_form = name.rfind("layer:", 0) == 0;
    poolings.push_back(parse_pooling(is_form ? "layer:2:max" : name, options.num_hidden_layers));
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

}  // namespace
}  // namespace contrastive::nn
