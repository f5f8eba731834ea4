#include "core/torch/methods/tsdae/tsdae.h"

#include <ATen/ops/log_softmax.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/io/model_folder.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;

MethodContext context_of(const std::string& keys = "{}",
                         std::shared_ptr<model::SentenceEncoder> start = tiny_model()) {
  MethodContext context;
  context.start = std::move(start);
  context.config = Config::parse(keys);
  context.seed = 5;
  return context;
}

const std::vector<std::string> kTexts = {"the cat sat on the mat.", "a dog",
                                         "two birds fly over the old house", "closed"};

TEST(Tsdae, TheEncoderSeesSomeWordsAndTheDecoderTheWholeText) {
  const auto method = make_tsdae(context_of());
  data::Batch batch = singles_batch(kTexts);
  method->tokenize(batch);
  ASSERT_EQ(batch.tokens.size(), 2u);
  EXPECT_LT(batch.tokens[0].tokens(), batch.tokens[1].tokens());
  data::Batch again = singles_batch(kTexts);
  method->tokenize(again);
  EXPECT_EQ(again.tokens[0].ids, batch.tokens[0].ids);
  again.epoch = 1;
  method->tokenize(again);
  EXPECT_NE(again.tokens[0].ids, batch.tokens[0].ids) << "other words in the next epoch";
  EXPECT_EQ(again.tokens[1].ids, batch.tokens[1].ids);
  const auto clean = make_tsdae(context_of(R"({"tsdae.noise_ratio": 0})"));
  clean->tokenize(again);
  EXPECT_EQ(again.tokens[0].ids, again.tokens[1].ids);
}

TEST(Tsdae, TheLossIsTheMeanOverAllTokensThatFollowOne) {
  const auto method = make_tsdae(context_of());
  data::Batch batch = singles_batch(kTexts);
  method->tokenize(batch);
  const Views views = method->views(batch);
  ASSERT_EQ(views.means.size(), 1u);
  EXPECT_EQ(views.means[0].count,
            static_cast<double>(batch.tokens[1].tokens() - batch.tokens[1].texts()));
  const double loss = method->compare(views, batch).total().item<double>();
  EXPECT_NEAR(loss, views.means[0].sum.item<double>() / views.means[0].count, 1e-5);
  EXPECT_GT(loss, 0.9 * std::log(static_cast<double>(tiny_model()->shape().vocab_size)))
      << "an untrained head predicts by chance";
}

// Without noise and dropout, the loss of a batch is that of its single texts, and a later token
// does not change predictions before it.
TEST(Tsdae, TextsDoNotSeeEachOtherNorWhatFollows) {
  const auto method = make_tsdae(context_of(R"({"tsdae.noise_ratio": 0, "tsdae.dropout": false})"));
  const auto sum_of = [&](const std::vector<std::string>& texts) {
    data::Batch batch = singles_batch(texts);
    return method->views(batch).means[0].sum.item<double>();
  };
  double alone = 0;
  for (const std::string& text : kTexts) alone += sum_of({text});
  EXPECT_NEAR(sum_of(kTexts), alone, 1e-4 * alone);
}

TEST(Tsdae, AnEmptyTextIsNoError) {
  const auto method = make_tsdae(context_of());
  data::Batch batch = singles_batch({"", "a cat"});
  EXPECT_TRUE(std::isfinite(method->compare(method->views(batch), batch).total().item<double>()));
}

TEST(Tsdae, TheParametersOfATiedDecoderAreItsOwnBlocksAlone) {
  const auto count = [](const std::string& keys) {
    return make_tsdae(context_of(keys))->parameters().size();
  };
  const auto shape = tiny_model()->shape();
  const auto layers = static_cast<size_t>(shape.num_hidden_layers);
  const size_t tied = count("{}");
  size_t own = 0;
  const auto method = make_tsdae(context_of());
  for (const Parameter& parameter : method->parameters())
    own += parameter.name.rfind("decoder.", 0) == 0 ? 1 : 0;
  EXPECT_EQ(own, 6 * layers + 5);
  EXPECT_EQ(count(R"({"tsdae.tie_encoder_decoder": false})"), 2 * tied - own)
      << "a copy of all trained weights of the encoder";
  EXPECT_LT(count(R"({"tsdae.lora_rank": 2})"), tied);
}

TEST(Tsdae, CheckpointedLayersHaveTheSameGradients) {
  for (const char* keys :
       {"{}", R"({"tsdae.lora_rank": 2})", R"({"tsdae.tie_encoder_decoder": false})"}) {
    std::vector<std::vector<at::Tensor>> gradients;
    for (const bool checkpointing : {false, true}) {
      MethodContext context = context_of(keys);
      context.gradient_checkpointing = checkpointing;
      const auto method = make_tsdae(context);
      data::Batch batch = singles_batch(kTexts);
      method->compare(method->views(batch), batch).total().backward();
      gradients.emplace_back();
      for (const Parameter& parameter : method->parameters()) {
        ASSERT_TRUE(parameter.tensor.grad().defined()) << parameter.name << " " << keys;
        gradients.back().push_back(parameter.tensor.grad());
      }
    }
    for (size_t i = 0; i < gradients[0].size(); ++i) {
      EXPECT_LT((gradients[0][i] - gradients[1][i]).abs().max().item<double>(), 1e-6)
          << i << " " << keys;
    }
  }
}

TEST(Tsdae, EveryFamilyTrainsOrIsRefusedByItsReason) {
  int trained = 0, refused = 0;
  for (const std::string& name : fixtures_in("families")) {
    const std::string place = fixtures() + "/families/" + name;
    if (!std::filesystem::exists(place + "/config.json")) continue;
    SCOPED_TRACE(name);
    io::ModelFolder folder = io::read_model_folder(place);
    folder.poolings = {"mean"};
    const auto start =
        std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
    const std::string family = start->shape().family;
    const bool can = family == "bert" || family == "roberta" || family == "xlm-roberta" ||
                     family == "camembert" || family == "electra" || family == "ernie" ||
                     family == "distilbert" || family == "albert";
    try {
      const auto method = make_tsdae(context_of("{}", start));
      data::Batch batch = singles_batch({"the cat", "a dog and a cat"});
      method->compare(method->views(batch), batch).total().backward();
      EXPECT_TRUE(can) << family;
      ++trained;
    } catch (const Error& error) {
      EXPECT_FALSE(can) << family << ": " << error.message();
      EXPECT_EQ(error.status(), Status::kArgument);
      EXPECT_THAT(error.message(), HasSubstr("Families that can: BERT, RoBERTa"));
      ++refused;
    }
  }
  EXPECT_GE(trained, 8);
  EXPECT_GE(refused, 6);
}

TEST(Tsdae, RefusesAVectorOfAnotherWidth) {
  const auto start = tiny_model();
  const int64_t hidden = start->shape().hidden_size;
  Tensor weight = Tensor::filled({4, hidden}, 0), bias = Tensor::filled({4}, 0);
  start->set_dense({{weight, bias, "identity"}});
  expect_error(Status::kArgument, "begin with a model whose dense modules keep the width",
               [&] { make_tsdae(context_of("{}", start)); });
}

TEST(Tsdae, OptionsAreChecked) {
  expect_error(Status::kArgument, "config key 'tsdae.noise_ratio' must be a number",
               [&] { describe_tsdae(Config::parse(R"({"tsdae.noise_ratio": 1})")); });
  expect_error(Status::kArgument, "config key 'tsdae.pooling': unknown pooling 'none'",
               [&] { describe_tsdae(Config::parse(R"({"tsdae.pooling": "none"})")); });
  const MethodTraits traits = describe_tsdae({});
  EXPECT_TRUE(traits.separates_pairs);
  EXPECT_FALSE(traits.in_batch_negatives);
  EXPECT_EQ(*traits.training_defaults.find("batch_size"), 8);
  EXPECT_EQ(*traits.training_defaults.find("lr"), 3e-5);
}

}  // namespace
}  // namespace contrastive::methods
