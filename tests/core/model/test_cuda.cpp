// Encoding on a GPU, against the CPU. Skipped, with the reason, where there is none.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/sentence_encoder.h"
#include "core/runtime/device.h"

namespace contrastive::model {
namespace {

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
  }
  static std::vector<float> encode(const std::string& folder, const std::string& device, const std::string& precision) {
    LoadOptions options;
    options.device = device;
    options.precision = precision;
    options.pooling = "mean";
    const auto encoder = SentenceEncoder::load(std::string(CONTRASTIVE_FIXTURES "/models/") + folder, options);
    std::vector<std::string> texts{"", "the cat sat on the mat."};
    for (int i = 0; i < 300; ++i) texts.push_back(texts.back().substr(0, static_cast<size_t>(i % 90)) + " a dog " + std::to_string(i));
    EncodeOptions encode_options;
    encode_options.normalize = 1;
    std::vector<float> out(texts.size() * static_cast<size_t>(encoder->dimension()));
    encoder->encode({texts.begin(), texts.end()}, encode_options, out.data());
    return out;
  }
};

TEST_F(Cuda, GivesTheCpusEmbeddings) {
  for (const char* folder : {"bert_st", "roberta_hf"}) {
    const std::vector<float> cpu = encode(folder, "cpu", "float32"), full = encode(folder, "cuda", "float32"), half = encode(folder, "cuda:0",
        "bfloat16");
    ASSERT_EQ(cpu.size(), full.size());
    for (size_t i = 0; i < cpu.size(); ++i) {
      ASSERT_NEAR(full[i], cpu[i], 1e-4) << folder << ", number " << i;
      ASSERT_NEAR(half[i], cpu[i], 0.05) << folder << ", number " << i;
    }
  }
}

}  // namespace
}  // namespace contrastive::model
