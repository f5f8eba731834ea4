#include "core/model/load_model.h"

#include <gtest/gtest.h>

#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

const std::string kEncoderFolder = fixtures() + "/models/bert_st",
                  kRerankerFolder = fixtures() + "/rerankers/bert";

TEST(LoadModel, TheFolderDecidesUnlessAKeyDoes) {
  EXPECT_NE(sentence_encoder(load_model(kEncoderFolder, {})), nullptr);
  EXPECT_NE(cross_encoder(load_model(kRerankerFolder, {})), nullptr);
  ModelOptions options;
  options.kind = KindChoice::kEncoder;
  options.pooling = "mean";
  EXPECT_NE(sentence_encoder(load_model(kRerankerFolder, options)), nullptr);
  options.kind = KindChoice::kAuto;  // the pooling is set
  EXPECT_NE(sentence_encoder(load_model(kRerankerFolder, options)), nullptr);
}

TEST(LoadModel, ARerankerHasNoKeysOfSentenceEncoders) {
  ModelOptions options;
  options.kind = KindChoice::kReranker;
  options.pooling = "mean";
  expect_error(Status::kArgument, "a reranker has no pooling",
               [&] { load_model(kRerankerFolder, options); });
  ModelOptions adapted;
  adapted.adapter = "anywhere";
  expect_error(Status::kArgument, "adapters are merged into sentence encoders only",
               [&] { load_model(kRerankerFolder, adapted); });
}

}  // namespace
}  // namespace contrastive::model
