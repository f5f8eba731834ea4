#include "core/torch/methods/reranker/reranker.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "core/model/cross_encoder.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/methods/reranker/reranker_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

const char* const kRerankerStill = R"({"reranker.dropout": false)";

double loss(const std::string& more, const data::Batch& batch = some_lists()) {
  return loss_of(*further(kRerankerStill + more + "}"), batch);
}

TEST(Reranker, ALengthWithoutRoomForBothTextsIsNamed) {
  for (const char* length : {"3", "4"}) {
    expect_error(Status::kArgument,
                 cat("config key 'reranker.max_length' is ", length,
                     ", which leaves no room for a token of each text"),
                 [&] { further(cat("{\"reranker.max_length\": ", length, "}")); });
  }
  EXPECT_NE(further(R"({"reranker.max_length": 5})"), nullptr);
}

TEST(Reranker, EverySwitchChangesTheLoss) {
  const double binary = loss("");
  for (const char* key : {R"(, "reranker.positive_weight": 3)", R"(, "reranker.loss": "listwise")",
                          R"(, "reranker.loss": "listnet")", R"(, "reranker.loss": "lambda")",
                          R"(, "reranker.max_length": 6)"}) {
    EXPECT_GT(std::fabs(loss(key) - binary), 1e-5) << key;
  }
  const double lambda = loss(R"(, "reranker.loss": "lambda")");
  EXPECT_NE(loss(R"(, "reranker.loss": "lambda", "reranker.lambda_weights": "lambdarank")"),
            lambda);
  EXPECT_NE(loss(R"(, "reranker.loss": "lambda", "reranker.lambda_weights": "none")"), lambda);
  const auto method = further("{}");
  data::Batch other = some_lists();
  other.epoch = 1;
  EXPECT_NE(loss_of(*method, some_lists()), loss_of(*method, other))
      << "dropout is drawn again in each epoch";
}

TEST(Reranker, ItsOwnScoresAreNothingToLearnFromItself) {
  const std::string itself = R"(, "reranker.teacher": ")" + reranker_folder() + "\"";
  EXPECT_NEAR(loss(R"(, "reranker.loss": "distillation")" + itself), 0, 1e-10);
  EXPECT_NEAR(loss(R"(, "reranker.loss": "margin-distillation")" + itself), 0, 1e-10);
  data::Batch margins = some_pairs();
  for (data::Example& example : margins.examples) {
    example.negatives = {"the house"};
    example.label = 2;
  }
  data::Batch scores = margins;
  for (data::Example& example : scores.examples) example.scores = {3, 1};
  const char* const key = R"(, "reranker.loss": "margin-distillation")";
  EXPECT_NEAR(loss(key, margins), loss(key, scores), 1e-12)
      << "a difference is equivalent to the two scores";
}

TEST(Reranker, GoesOnFromWhatTheRerankerKnows) {
  const auto reranker = model::CrossEncoder::load(reranker_folder(), on_test_device());
  const auto method = further("{}");
  const std::vector<model::TextPair> pairs = {{"a cat", "the cat sat"}, {"a cat", "two birds"}};
  std::vector<float> own(2), before(2);
  reranker_method(*method)->score(pairs, own.data());
  model::ScoreOptions options;
  options.activation = "identity";
  reranker->score(pairs, options, before.data());
  EXPECT_EQ(own, before);
  EXPECT_EQ(method->result({})->fingerprint(), reranker->fingerprint());
}

}  // namespace
}  // namespace contrastive::methods
