#include "core/torch/methods/embedding_cache.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

const std::vector<std::string_view> kTexts = {"the first text", "a second one", "the first text",
                                              "THE first text", ""};

at::Tensor encoded(const model::SentenceEncoder& encoder,
                   const std::vector<std::string_view>& texts) {
  model::EncodeOptions options;
  options.normalize = 0;
  at::Tensor out = at::empty({static_cast<int64_t>(texts.size()), encoder.dimension()}, at::kFloat);
  encoder.encode(texts, options, out.mutable_data_ptr<float>());
  return out;
}

EmbeddingCacheOptions cache_options(const std::string& folder = "") {
  EmbeddingCacheOptions options;
  options.encode.normalize = 0;
  options.folder = folder;
  return options;
}

TEST(EmbeddingCache, GivesTheEncodersVectorsAndEncodesEachTextOnce) {
  const auto encoder = tiny_model();
  EmbeddingCache cache(encoder, cache_options());
  const auto rows = cache.rows(kTexts);
  EXPECT_EQ(rows[0], rows[2]);
  EXPECT_EQ(cache.size(), 4);
  EXPECT_TRUE(cache.gather(rows).allclose(encoded(*encoder, kTexts), 1e-5, 1e-6));
  const int64_t tokens = cache.tokens_encoded();
  EXPECT_GT(tokens, 0);
  EXPECT_EQ(cache.rows(kTexts), rows);
  EXPECT_EQ(cache.tokens_encoded(), tokens);
}

TEST(EmbeddingCache, IsReusedByALaterRun) {
  const TemporaryFolder folder;
  const auto encoder = tiny_model();
  at::Tensor first;
  {
    EmbeddingCache cache(encoder, cache_options(folder.path()));
    first = cache.gather(cache.rows(kTexts));
  }
  EmbeddingCache cache(tiny_model(), cache_options(folder.path()));
  EXPECT_TRUE(cache.gather(cache.rows(kTexts)).equal(first));
  EXPECT_EQ(cache.tokens_encoded(), 0);
}

TEST(EmbeddingCache, KeepsOtherModelsPoolingsAndLengthsApart) {
  const TemporaryFolder folder;
  const auto count = [&](const std::shared_ptr<model::SentenceEncoder>& encoder,
                         const std::string& pooling, int64_t max_length) {
    EmbeddingCacheOptions options = cache_options(folder.path());
    options.encode.pooling = pooling;
    options.encode.max_length = max_length;
    EmbeddingCache cache(encoder, options);
    cache.rows(kTexts);
    return cache.tokens_encoded();
  };
  EXPECT_GT(count(tiny_model(), "", 0), 0);
  EXPECT_GT(count(tiny_model(), "max", 0), 0);
  EXPECT_GT(count(tiny_model(), "", 4), 0);
  const auto other = tiny_model();
  other->set_pooling({"max"});
  EXPECT_GT(count(other, "", 0), 0);
  EXPECT_EQ(count(tiny_model(), "", 0), 0);
}

TEST(EmbeddingCache, HalfPrecisionRowsAreTheSameFirstAndLater) {
  const TemporaryFolder folder;
  const auto encoder = tiny_model();
  EmbeddingCacheOptions options = cache_options(folder.path());
  options.half = true;
  at::Tensor first;
  {
    EmbeddingCache cache(encoder, options);
    first = cache.gather(cache.rows(kTexts));
  }
  EmbeddingCache cache(encoder, options);
  EXPECT_TRUE(cache.gather(cache.rows(kTexts)).equal(first));
  EXPECT_TRUE(first.allclose(encoded(*encoder, kTexts), 1e-3, 1e-4));
  EXPECT_FALSE(first.equal(encoded(*encoder, kTexts)));
}

TEST(EmbeddingCache, RowsInMemoryComeBackFromTheirTensors) {
  for (const bool half : {false, true}) {
    EmbeddingCacheOptions options = cache_options();
    options.half = half;
    EmbeddingCache first(tiny_model(), options), second(tiny_model(), options);
    const auto rows = first.rows(kTexts);
    second.load(first.save());
    const auto again = second.rows({kTexts[4], kTexts[3], kTexts[2], kTexts[1], kTexts[0]});
    EXPECT_EQ(second.tokens_encoded(), 0);
    for (size_t i = 0; i < kTexts.size(); ++i) {
      EXPECT_TRUE(first.gather({rows[i]}).equal(second.gather({again[4 - i]})));
      EXPECT_EQ(first.identity(rows[i]), second.identity(again[4 - i]));
    }
  }
}

TEST(EmbeddingCache, RowsInAFolderAreNotSavedTwice) {
  const TemporaryFolder folder;
  EmbeddingCache cache(tiny_model(), cache_options(folder.path()));
  cache.rows(kTexts);
  EXPECT_EQ(cache.save().at("cache.vectors").size(0), 0);
}

TEST(EmbeddingCache, IdentityIsThatOfTheTokens) {
  EmbeddingCache cache(tiny_model(), cache_options());
  const auto rows = cache.rows({"the first text", "the  first\ttext", "a second one"});
  EXPECT_NE(rows[0], rows[1]);
  EXPECT_EQ(cache.identity(rows[0]), cache.identity(rows[1]));
  EXPECT_NE(cache.identity(rows[0]), cache.identity(rows[2]));
}

}  // namespace
}  // namespace contrastive::methods
