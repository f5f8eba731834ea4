// A real encoder against the embeddings that sentence-transformers gives for it
// (tests/golden/embeddings/minilm.json). The model (90 MB) is not part of the repository:
// CONTRASTIVE_MINILM names its folder (default: the quickstart's cache). Without it the test is
// skipped with a message.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/model/sentence_encoder.h"
#include "tests/real_parts.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

class MiniLm : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = what_is_missing(""); !why.empty()) GTEST_SKIP() << why;
    golden_ = read_json_file(fixtures() + "/../golden/embeddings/minilm.json");
    texts_ = golden_["texts"].get<std::vector<std::string>>();
    encoder_ = SentenceEncoder::load(minilm_folder());
  }
  std::vector<float> encode(const std::vector<std::string>& texts) const {
    std::vector<float> out(texts.size() * static_cast<size_t>(encoder_->dimension()));
    encoder_->encode({texts.begin(), texts.end()}, {}, out.data());
    return out;
  }

  Json golden_;
  std::vector<std::string> texts_;
  std::shared_ptr<SentenceEncoder> encoder_;
};

TEST_F(MiniLm, EmbeddingsAreThoseOfSentenceTransformers) {
  const std::vector<float> got = encode(texts_);
  const auto every = golden_["every"].get<size_t>(),
             width = static_cast<size_t>(encoder_->dimension());
  ASSERT_EQ(texts_.size(), golden_["embeddings"].size());
  for (size_t text = 0; text < texts_.size(); ++text) {
    const Json& row = golden_["embeddings"][text];
    ASSERT_EQ(row.size() * every, width);
    for (size_t i = 0; i < row.size(); ++i)
      ASSERT_NEAR(got[text * width + i * every], row[i].get<double>(), 1e-5)
          << "text " << text << ": " << texts_[text];
  }
}

TEST_F(MiniLm, Int8KeepsTheDirections) {
  LoadOptions options;
  options.precision = "int8";
  const auto width = static_cast<size_t>(encoder_->dimension());
  const std::vector<float> expected = encode(texts_);
  encoder_ = SentenceEncoder::load(minilm_folder(), options);
  const std::vector<float> got = encode(texts_);
  double sum = 0, least = 1;
  for (size_t text = 0; text < texts_.size(); ++text) {
    double cosine = 0;  // the model gives vectors of length 1
    for (size_t i = 0; i < width; ++i)
      cosine += static_cast<double>(got[text * width + i]) *
                static_cast<double>(expected[text * width + i]);
    least = std::min(least, cosine);
    sum += cosine;
  }
  EXPECT_GT(sum / static_cast<double>(texts_.size()), 0.998);
  EXPECT_GT(least, 0.985);
}

TEST_F(MiniLm, ATextAloneIsTheSameInABatchOf500) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 500; ++i) texts.push_back(texts_[i % 50]);
  const std::vector<float> together = encode(texts);
  const auto width = static_cast<size_t>(encoder_->dimension());
  for (size_t text = 0; text < 50; ++text) {
    const std::vector<float> alone = encode({texts[text]});
    for (size_t i = 0; i < width; ++i)
      ASSERT_NEAR(alone[i], together[text * width + i], 1e-6) << texts[text];
  }
}

}  // namespace
}  // namespace contrastive::model
