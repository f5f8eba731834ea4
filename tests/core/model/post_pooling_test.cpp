#include "core/model/post_pooling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/model/sentence_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

const std::string kPlainFolder = fixtures() + "/models/bert_st";

std::vector<float> finished(const SentenceEncoder& encoder, const EncodeOptions& options = {}) {
  std::vector<float> row(static_cast<size_t>(encoder.dimension(options)));
  encoder.encode({"the cat sat"}, options, row.data());
  return row;
}

// As in sentence-transformers, the model's own truncation comes after its Normalize, so the result
// has not length 1 unless the caller normalises.
TEST(PostPooling, TheModelsTruncateDimCutsBehindItsModules) {
  io::ModelFolder folder = io::read_model_folder(kPlainFolder);
  const std::vector<float> whole = finished(SentenceEncoder(folder));
  folder.truncate_dim = 24;
  const SentenceEncoder encoder(folder);
  EXPECT_EQ(encoder.dimension(), 24);
  EXPECT_NE(encoder.fingerprint(), SentenceEncoder::load(kPlainFolder)->fingerprint());
  const std::vector<float> cut = finished(encoder);
  EXPECT_EQ(cut, std::vector<float>(whole.begin(), whole.begin() + 24));
  EncodeOptions options;
  options.normalize = 1;
  double square = 0;
  for (const float number : finished(encoder, options))
    square += static_cast<double>(number) * number;
  EXPECT_NEAR(square, 1, 1e-5);
  options.truncate_dim = 32;  // the caller's option has priority over the model's
  EXPECT_EQ(encoder.dimension(options), 32);
  folder.truncate_dim = 1000;
  EXPECT_EQ(SentenceEncoder(folder).dimension(), 32);
}

TEST(PostPooling, ADenseModuleMayStandBehindNormalize) {
  io::ModelFolder folder = io::read_model_folder(kPlainFolder);
  folder.normalize = false;
  folder.dense.push_back({Tensor::filled({1, 32}, 1), Tensor(), "identity", true});
  io::ModelFolder bare = folder;
  bare.dense.clear();
  const std::vector<float> pooled = finished(SentenceEncoder(bare));
  double sum = 0, square = 0;
  for (const float number : pooled) sum += number, square += static_cast<double>(number) * number;
  EXPECT_NEAR(finished(SentenceEncoder(folder))[0], sum / std::sqrt(square), 1e-5);
}

}  // namespace
}  // namespace contrastive::model
