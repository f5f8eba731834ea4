// Folders of every family: loads, embeds, saves, and embeds again, with kernels and with LibTorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/encoder/inference.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const std::string kFamilies = fixtures() + "/families/";
const std::vector<std::string> kTexts = {"the sun is in the sea", "a hare ran!", "",
                                         "no one here has a stone, or an oar, or a sail", "trees"};

LoadOptions loaded_with(const std::string& pooling, const std::string& precision = "float32") {
  LoadOptions options;
  options.pooling = pooling;
  options.precision = precision;
  return options;
}

std::vector<float> embed(const SentenceEncoder& model, const std::vector<std::string>& texts,
                         const std::string& pooling = "") {
  EncodeOptions options;
  options.pooling = pooling;
  options.normalize = 1;
  std::vector<float> rows(texts.size() * static_cast<size_t>(model.dimension(options)));
  model.encode({texts.begin(), texts.end()}, options, rows.data());
  return rows;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : 1e9;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  return largest;
}

class FamilyFolders : public testing::TestWithParam<std::string> {};

TEST_P(FamilyFolders, EmbedsIsSavedAndEmbedsAgain) {
  const auto model = SentenceEncoder::load(kFamilies + GetParam(), loaded_with("mean"));
  const std::vector<float> rows = embed(*model, kTexts);
  for (size_t i = 0; i < kTexts.size(); ++i) {  // alone and in a batch
    const std::vector<float> alone = embed(*model, {kTexts[i]});
    EXPECT_LT(largest_difference(
                  alone, {rows.begin() + static_cast<std::ptrdiff_t>(i * alone.size()),
                          rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * alone.size())}),
              2e-6)
        << kTexts[i];
  }
  const TemporaryFolder folder;
  model->save(folder / "saved");
  const auto again = SentenceEncoder::load(folder / "saved");
  EXPECT_EQ(embed(*again, kTexts), rows);
  EXPECT_EQ(again->info().at("family"), model->info().at("family"));
  EXPECT_EQ(model->info().at("computed_by"),
            encoder::kernels_infer(model->shape()) ? "kernels" : "libtorch");
  EXPECT_TRUE(again->shape() == model->shape());
  const auto mapped = [&] {
    LoadOptions options = loaded_with("mean");
    options.memory_map = true;
    return SentenceEncoder::load(kFamilies + GetParam(), options);
  }();
  EXPECT_EQ(embed(*mapped, kTexts), rows);
}

TEST_P(FamilyFolders, EveryPoolingGivesNumbersOfItsOwn) {
  const auto model = SentenceEncoder::load(kFamilies + GetParam(), loaded_with("mean"));
  for (const char* pooling :
       {"cls", "lasttoken", "max", "mean-sqrt", "first-last", "weightedmean"}) {
    for (const float value : embed(*model, kTexts, pooling))
      ASSERT_TRUE(std::isfinite(value)) << pooling;
  }
  EXPECT_GT(largest_difference(embed(*model, kTexts, "cls"), embed(*model, kTexts, "lasttoken")),
            1e-3);
}

TEST_P(FamilyFolders, NarrowNumbersWhereTheKernelsCoverIt) {
  const auto model = SentenceEncoder::load(kFamilies + GetParam(), loaded_with("mean"));
  if (!encoder::kernels_infer(model->shape())) {
    expect_error(Status::kUnsupported, "load it with precision = float32", [&] {
      SentenceEncoder::load(kFamilies + GetParam(), loaded_with("mean", "int8"));
    });
    return;
  }
  const auto narrow = SentenceEncoder::load(kFamilies + GetParam(), loaded_with("mean", "int8"));
  const std::vector<float> a = embed(*model, kTexts), b = embed(*narrow, kTexts);
  const auto width = static_cast<size_t>(model->shape().hidden_size);
  for (size_t row = 0; row < kTexts.size(); ++row) {
    double cosine = 0;
    for (size_t i = 0; i < width; ++i)
      cosine += static_cast<double>(a[row * width + i]) * b[row * width + i];
    EXPECT_GT(cosine, 0.98) << kTexts[row];
  }
}

// Keys that change vectors but no tensor's shape.
TEST(FamilyFingerprints, WhatDecidesAVectorDecidesThem) {
  const auto print_of = [](const std::string& family, const std::string& from,
                           const std::string& to) {
    const TemporaryFolder folder(kFamilies + family);
    std::ifstream in(folder / "config.json");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    std::ofstream(folder / "config.json") << text.replace(place, from.size(), to);
    return SentenceEncoder::load(folder.path(), loaded_with("mean"))->fingerprint();
  };
  EXPECT_NE(print_of("gte", "160000.0", "160000.0"), print_of("gte", "160000.0", "10000.0"));
  EXPECT_NE(print_of("modernbert", "\"local_attention\": 16", "\"local_attention\": 16"),
            print_of("modernbert", "\"local_attention\": 16", "\"local_attention\": 18"));
  EXPECT_NE(print_of("gemma3", "\"query_pre_attn_scalar\": 16", "\"query_pre_attn_scalar\": 16"),
            print_of("gemma3", "\"query_pre_attn_scalar\": 16", "\"query_pre_attn_scalar\": 8"));
}

INSTANTIATE_TEST_SUITE_P(All, FamilyFolders, testing::ValuesIn(fixtures_in("families")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace contrastive::model
