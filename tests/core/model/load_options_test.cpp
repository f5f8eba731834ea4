// Sentence encoders in bfloat16 and int8, against their vectors in float32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/model/sentence_encoder.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

const std::string kFixtures = fixtures() + "/models/";

std::vector<float> in_floats(const SentenceEncoder& encoder,
                             const std::vector<std::string>& texts) {
  std::vector<float> out(texts.size() * static_cast<size_t>(encoder.dimension({})));
  encoder.encode(std::vector<std::string_view>(texts.begin(), texts.end()), {}, out.data());
  return out;
}

TEST(Precision, Bfloat16IsNearFloat32) {
  LoadOptions options;
  options.precision = "bfloat16";
  const std::vector<std::string> texts{"the cat sat", "a dog on the mat and the cat"};
  const std::vector<float> half = in_floats(*SentenceEncoder::load(kFixtures + "bert_st", options),
                                            texts),
                           full = in_floats(*SentenceEncoder::load(kFixtures + "bert_st"), texts);
  for (size_t i = 0; i < full.size(); ++i) EXPECT_NEAR(half[i], full[i], 0.03);
}

LoadOptions rounded() {
  LoadOptions options;
  options.precision = "int8";
  return options;
}

TEST(Precision, Int8IsNearFloat32) {
  const std::vector<std::string> texts{"the cat sat", "a dog on the mat and the cat", ""};
  for (const char* name : {"bert_st", "bert_bf16", "roberta_hf"}) {
    LoadOptions options = rounded(), plain;
    options.pooling = plain.pooling = "mean";
    const auto quantised = SentenceEncoder::load(kFixtures + name, options),
               full = SentenceEncoder::load(kFixtures + name, plain);
    const std::vector<float> got = in_floats(*quantised, texts), expected = in_floats(*full, texts);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 0.05) << name;
    EXPECT_EQ(in_floats(*quantised->snapshot(), texts), got);
    EXPECT_EQ(quantised->info()["precision"], "int8");
    EXPECT_EQ(quantised->info()["device"], "cpu");
    EXPECT_EQ(quantised->info()["parameters"], full->info()["parameters"]);
    EXPECT_NE(quantised->fingerprint(), full->fingerprint());
    EXPECT_EQ(quantised->fingerprint(),
              SentenceEncoder::load(kFixtures + name, options)->fingerprint());
  }
}

// Both keys limit memory, so neither is ignored silently.
TEST(Precision, WeightsThatAreRoundedCannotBeMapped) {
  for (const char* precision : {"int8", "bfloat16"}) {
    LoadOptions options;
    options.precision = precision;
    options.memory_map = true;
    expect_error(Status::kArgument, "memory_map",
                 [&] { SentenceEncoder::load(kFixtures + "bert_st", options); });
    expect_error(Status::kArgument, precision, [&] {
      SentenceEncoder::load("no-such-folder", options);
    });  // before any file is read
  }
}

TEST(Precision, Int8SaysWhatItRefuses) {
  const std::string folder = kFixtures + "bert_st";
  LoadOptions on_gpu = rounded();
  on_gpu.device = "cuda";
  EXPECT_THAT(expect_error(Status::kArgument, "int8",
                           [&] { SentenceEncoder::load(folder, on_gpu); }),
              testing::HasSubstr("device"));
  const auto encoder = SentenceEncoder::load(folder, rounded());
  const std::string path = testing::TempDir() + "/rounded";
  EXPECT_THAT(expect_error(Status::kState, "precision = int8", [&] { encoder->save(path); }),
              testing::HasSubstr("float32"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace contrastive::model
