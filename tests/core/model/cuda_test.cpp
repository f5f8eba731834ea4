// A GPU against the CPU: encoding, scores, the masks of dropout. Skipped with the reason if there
// is no GPU.
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/tensors/cuda.h"
#include "core/torch/tensors/device_program.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/nn/attention.h"
#include "core/torch/nn/device_dropout.h"
#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (tensors::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
  }
  static std::vector<float> encode(const std::string& folder, const std::string& device,
                                   const std::string& precision) {
    LoadOptions options;
    options.device = device;
    options.precision = precision;
    options.pooling = "mean";
    const auto encoder = SentenceEncoder::load(fixtures() + "/" + folder, options);
    std::vector<std::string> texts{"", "the cat sat on the mat."};
    for (int i = 0; i < 300; ++i)
      texts.push_back(texts.back().substr(0, static_cast<size_t>(i % 90)) + " a dog " +
                      std::to_string(i));
    EncodeOptions encode_options;
    encode_options.normalize = 1;
    std::vector<float> out(texts.size() * static_cast<size_t>(encoder->dimension()));
    encoder->encode({texts.begin(), texts.end()}, encode_options, out.data());
    return out;
  }
};

TEST_F(Cuda, GivesTheCpusEmbeddings) {
  std::vector<std::string> folders{"models/bert_st", "models/roberta_hf"};
  for (const std::string& name : fixtures_in("families")) folders.push_back("families/" + name);
  for (const std::string& folder : folders) {
    const std::vector<float> cpu = encode(folder, "cpu", "float32"),
                             full = encode(folder, "cuda", "float32"),
                             half = encode(folder, "cuda:0", "bfloat16");
    ASSERT_EQ(cpu.size(), full.size());
    double of_full = 0, of_half = 0;
    for (size_t i = 0; i < cpu.size(); ++i) {
      ASSERT_TRUE(std::isfinite(full[i]) && std::isfinite(half[i])) << folder << ", number " << i;
      of_full = std::max(of_full, std::abs(static_cast<double>(full[i]) - cpu[i]));
      of_half = std::max(of_half, std::abs(static_cast<double>(half[i]) - cpu[i]));
    }
    EXPECT_LE(of_full, 1e-4) << folder;
    EXPECT_LE(of_half, 0.05) << folder;
  }
}

TEST_F(Cuda, GivesTheCpusScores) {
  const std::vector<TextPair> pairs{{"the sun is in the sea", "a hare ran!"},
                                    {"", "no one here has a stone"},
                                    {"trees", "an oar, or a sail"}};
  for (const std::string& name : fixtures_in("rerankers")) {
    const auto score = [&](const std::string& device) {
      CheckpointOptions options;
      options.device = device;
      const auto reranker = CrossEncoder::load(fixtures() + "/rerankers/" + name, options);
      std::vector<float> scores(pairs.size() * static_cast<size_t>(reranker->label_count()));
      reranker->score(pairs, {}, scores.data());
      return scores;
    };
    const std::vector<float> cpu = score("cpu"), gpu = score("cuda");
    ASSERT_EQ(cpu.size(), gpu.size());
    for (size_t i = 0; i < cpu.size(); ++i)
      EXPECT_NEAR(gpu[i], cpu[i], 1e-4) << name << ", number " << i;
  }
}

// If there is only one GPU, it is listed twice: both entries have the weights and get batches.
TEST_F(Cuda, SeveralDevicesGiveWhatOneGives) {
  LoadOptions options;
  options.device = "cuda";
  const auto one = SentenceEncoder::load(fixtures() + "/models/bert_st", options);
  options.devices = {"cuda:0", "cuda:0"};
  const auto two = SentenceEncoder::load(fixtures() + "/models/bert_st", options);
  std::vector<std::string> texts;
  for (int i = 0; i < 900; ++i)
    texts.push_back("the cat sat on the mat. a dog " + std::to_string(i));
  EncodeOptions small;
  small.batch_tokens = 512;
  std::vector<float> from_one(texts.size() * static_cast<size_t>(one->dimension())),
      from_two(from_one.size());
  one->encode({texts.begin(), texts.end()}, small, from_one.data());
  two->encode({texts.begin(), texts.end()}, small, from_two.data());
  for (size_t i = 0; i < from_one.size(); ++i)
    ASSERT_NEAR(from_two[i], from_one[i], 1e-6) << "number " << i;
}

// LibTorch's kernels for packed texts need head widths that are multiples of 8 or 4, by type, and
// flash attention at most 256. Other widths are padded.
TEST_F(Cuda, HeadsOfAnyWidth) {
  for (const int64_t width : {64, 26, 12, 5, 264}) {
    encoder::Architecture options;
    options.hidden_size = 2 * width;
    options.num_attention_heads = options.num_hidden_layers = 2;
    options.intermediate_size = 16;
    options.vocab_size = 50;
    const nn::TrainableEncoder on_cpu = nn::TrainableEncoder::random(options, 3);
    const std::vector<int32_t> ids{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::vector<int64_t> offsets{0, 2, 9};
    encoder::PackedTokens tokens;
    tokens.ids = ids.data();
    tokens.offsets = offsets.data();
    tokens.texts = 2;
    const auto vectors = [&](const encoder::Encoder& encoder) {
      std::vector<float> out(static_cast<size_t>(2 * options.hidden_size));
      encoder.infer(tokens, {encoder::parse_pooling("mean", 2)}, {nullptr}, out.data(), 1);
      return out;
    };
    const std::vector<float> expected = vectors(nn::TorchEncoder(on_cpu));
    for (const c10::ScalarType precision : {at::kFloat, at::kBFloat16, at::kHalf}) {
      nn::TrainableEncoder on_gpu = on_cpu.clone();
      on_gpu.to(c10::Device(c10::kCUDA, 0), precision);
      const std::vector<float> found = vectors(nn::TorchEncoder(on_gpu));
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], precision == at::kFloat ? 1e-4 : 0.1)
            << width << " " << precision;
    }
  }
}

// The masks of an encoder, drawn by the device and by the CPU, are bit-identical, for widths and
// texts that are or are not multiples of a thread's four draws.
TEST_F(Cuda, DrawsTheMasksOfTheCpu) {
  const c10::Device cuda(c10::kCUDA, 0);
  // The simulated CUDA device may refuse kernels (tests/host_cuda/kernels.cpp). Then the bits are
  // drawn on the CPU and copied.
  const char* kernels = std::getenv("CONTRASTIVE_HOST_CUDA_KERNELS");
  ASSERT_EQ(nn::DeviceTokens::draw_on(cuda), kernels == nullptr || std::string(kernels) != "0")
      << "whether the driver takes kernels: see the log";
  const std::vector<int64_t> even{0, 16, 32, 48}, ragged{0, 1, 38, 40, 107, 107 + 256};
  for (const std::vector<int64_t>& offsets : {even, ragged}) {
    for (const int64_t width : {64, 66, 385}) {
      nn::Dropout dropout;
      dropout.hidden = 0.1;
      dropout.attention = 0.3;
      dropout.adapter = 0.5;
      dropout.seed = 0xfedcba9876543210ULL;
      dropout.epoch = 77;
      for (size_t i = 1; i < offsets.size(); ++i)
        dropout.examples.push_back(i * 0x9e3779b97f4a7c15ULL);
      encoder::Architecture architecture;
      architecture.num_hidden_layers = 2;
      architecture.num_attention_heads = 3;
      architecture.hidden_size = width;
      const nn::PaddedLayout here(offsets, at::kCPU, true), there(offsets, cuda, true);
      const nn::DropoutMasks on_cpu(architecture, offsets, dropout, at::kCPU),
          on_cuda(architecture, offsets, dropout, cuda);
      const at::Tensor x = at::ones({offsets.back(), width});
      for (int64_t layer = 0; layer < 2; ++layer) {
        const at::Tensor expected = nn::attention_kept(here, 3, on_cpu, nn::attention_site(layer)),
                         found =
                             nn::attention_kept(there, 3, on_cuda, nn::attention_site(layer)).cpu();
        // Positions after a text's last key are masked, whatever they contain.
        const at::Tensor counts =
            here.mask().defined() ? here.mask() : at::ones({1, 1, 1, 1}, at::kBool);
        EXPECT_TRUE(found.logical_and(counts).equal(expected.logical_and(counts)))
            << "width " << width;
        const double share =
            found.logical_and(counts).sum().item<double>() /
            counts.expand_as(found).logical_and(expected.any(-1, true)).sum().item<double>();
        EXPECT_NEAR(share, 0.7, 0.05);
        const int64_t site = nn::output_site(layer);
        EXPECT_TRUE(on_cuda.drop(x.to(cuda), site).cpu().equal(on_cpu.drop(x, site)))
            << "width " << width;
        EXPECT_TRUE(on_cuda.drop_adapter(x.to(cuda), layer, 3)
                        .cpu()
                        .equal(on_cpu.drop_adapter(x, layer, 3)));
      }
    }
  }
}

TEST_F(Cuda, AProgramThatTheDriverRefusesDoesNotRun) {
  static tensors::DeviceProgram refused("a test", "no PTX", {"kernel"});
  EXPECT_FALSE(refused.runs_on(c10::Device(c10::kCUDA, 0)));
  EXPECT_FALSE(refused.runs_on(c10::Device(c10::kCPU)));
  EXPECT_THROW(refused.start(c10::Device(c10::kCUDA, 0), 0, 1), c10::Error);
}

}  // namespace
}  // namespace contrastive::model
