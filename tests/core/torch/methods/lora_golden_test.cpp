// Low-rank adapters against peft 0.21.2: tests/golden/lora/make.py.
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include "tests/core/torch/optim/vectors.h"
#include "tests/golden/methods/golden_run.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

const std::string kFolder = fixtures() + "/../golden/lora";

void expect_vectors(const model::SentenceEncoder& encoder, const Json& golden,
                    const Json& expected) {
  std::vector<std::string> texts =
      golden.at("batches").at(0).at("a").get<std::vector<std::string>>();
  const auto width = static_cast<size_t>(encoder.dimension());
  std::vector<float> vectors(texts.size() * width);
  encoder.encode({texts.begin(), texts.end()}, {}, vectors.data());
  ASSERT_EQ(expected.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t k = 0; k < width; ++k)
      EXPECT_NEAR(vectors[i * width + k], expected.at(i).at(k).get<double>(), 5e-6)
          << i << " " << k;
  }
}

// Twenty updates: losses, every entry of every A and B, and the vectors of the merged model.
TEST(LoraGolden, AdaptersTrainAsPeftTrainsThem) {
  const Json golden = read_json_file(kFolder + "/lora.json");
  const tensors::TorchTensorMap weights =
      tensors::to_torch(io::read_safetensors(kFolder + "/lora.golden.safetensors"));
  ASSERT_EQ(golden.at("cases").size(), 4u);
  const auto batches = golden_batches(golden, true, false);
  for (const auto& [name, run] : golden.at("cases").items()) {
    SCOPED_TRACE(name);
    run::TrainingRun trainer(tiny_model(), nullptr, golden_config(run));
    for (size_t i = 0; i < batches.size(); ++i) {
      ASSERT_EQ(trainer.step_batch(batches[i]), Status::kOk);
      const double expected = run.at("losses").at(i).get<double>();
      EXPECT_NEAR(trainer.metric("loss"), expected, 1e-5 * std::max(1.0, expected))
          << "update " << i;
    }
    const tensors::TorchTensorMap trained = weights_of(trainer);
    size_t expected = 0;
    for (const auto& [key, tensor] : weights) expected += key.rfind(name + "/", 0) == 0 ? 1 : 0;
    EXPECT_EQ(trained.size(), expected) << "peft trained other modules";
    for (const auto& [key, tensor] : trained) {
      const auto found = weights.find(name + "/" + key);
      ASSERT_NE(found, weights.end()) << key;
      EXPECT_LT((tensor - found->second).abs().max().item<double>(), 2e-5) << key;
      // B began at zero.
      if (key.find("lora_B") != std::string::npos) {
        EXPECT_GT(tensor.abs().max().item<double>(), 1e-4)
            << key << " has not changed: nothing was compared";
      }
    }
    expect_vectors(*trainer.trained(false), golden, run.at("vectors"));
  }
}

TEST(LoraGolden, AnAdapterThatPeftWroteIsMergedWhileAModelLoads) {
  const Json golden = read_json_file(kFolder + "/lora.json");
  model::LoadOptions options = on_test_device();
  options.adapter = kFolder + "/adapter";
  const auto merged = model::SentenceEncoder::load(fixtures() + "/models/bert_st", options);
  expect_vectors(*merged, golden, golden.at("cases").at("query-value").at("vectors"));
}

}  // namespace
}  // namespace contrastive
