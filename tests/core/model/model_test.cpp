#include "core/model/model.h"

#include <gtest/gtest.h>

#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

TEST(Model, IsOfOneOfTwoKinds) {
  const std::shared_ptr<Model> encoder = SentenceEncoder::load(fixtures() + "/models/bert_st"),
                               reranker = CrossEncoder::load(fixtures() + "/rerankers/bert");
  EXPECT_EQ(sentence_encoder(encoder), encoder);
  EXPECT_EQ(cross_encoder(encoder), nullptr);
  EXPECT_EQ(cross_encoder(reranker), reranker);
  EXPECT_EQ(sentence_encoder(reranker), nullptr);
  EXPECT_EQ(sentence_encoder(nullptr), nullptr);
  EXPECT_EQ(cross_encoder(nullptr), nullptr);
}

}  // namespace
}  // namespace contrastive::model
