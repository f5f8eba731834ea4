// The heads: their parameters, gradients against finite differences, and dropout.
// fine_tuner_test.cpp compares them with Hugging Face's golden runs.
#include "core/torch/tasks/glue/sequence_classifier.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/torch/tasks/glue/glue_tokens.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

ClassifierOptions options_for(HeadKind head, double dropout = 0, const std::string& pooling = "") {
  ClassifierOptions options;
  options.head = head;
  options.pooling = pooling;
  options.dropout = options.head_dropout = dropout;
  return options;
}

text::TokenBatch tokens_of(const model::SentenceEncoder& model) {
  GlueSet set;
  set.first = {"the cat sat", "a dog", "two birds fly over the old house", "red"};
  set.second = {"on the mat", "a small dog plays", "open", "blue water"};
  return tokenise_glue(model.tokenizer(), set, 0, nullptr);
}

std::vector<std::string> names_of(const SequenceClassifier& classifier) {
  std::vector<std::string> names;
  for (const optim::Parameter& parameter : classifier.parameters()) names.push_back(parameter.name);
  return names;
}

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

const std::vector<uint64_t> kExamples = {11, 5, 8, 2};

TEST(SequenceClassifier, TakesThePoolerWhereTheHeadHasOne) {
  const auto with = glue_model("bert_st"), without = glue_model("bert_gamma"),
             roberta = glue_model("roberta_hf");
  const SequenceClassifier own(*with, 2, options_for(HeadKind::kFamily), 3);
  EXPECT_THAT(names_of(own), AllOf(Contains("pooler.dense.weight"), Contains("classifier.weight"),
                                   Contains("classifier.bias")));
  for (const optim::Parameter& parameter : own.parameters()) {
    if (parameter.name != "pooler.dense.weight") continue;
    EXPECT_TRUE(
        at::equal(parameter.tensor, nn::trainable(with->encoder()).weights().pooler.weight));
    EXPECT_FALSE(parameter.tensor.is_same(nn::trainable(with->encoder()).weights().pooler.weight))
        << "the copy trains, not the start model";
  }
  const SequenceClassifier fresh(*without, 2, options_for(HeadKind::kFamily), 3);
  EXPECT_THAT(names_of(fresh), Contains("pooler.dense.weight").Times(1));
  const SequenceClassifier other(*roberta, 3, options_for(HeadKind::kFamily), 3);
  EXPECT_THAT(names_of(other),
              AllOf(Contains("classifier.dense.weight"), Contains("classifier.out_proj.bias"),
                    Not(Contains("pooler.dense.weight"))));
  const SequenceClassifier linear(*with, 1, options_for(HeadKind::kLinear), 3);
  EXPECT_THAT(names_of(linear),
              AllOf(Contains("classifier.weight"), Not(Contains("pooler.dense.weight"))));
}

TEST(SequenceClassifier, FreshWeightsFollowFromTheSeed) {
  const auto model = glue_model("bert_gamma");
  const text::TokenBatch batch = tokens_of(*model);
  const auto logits = [&](uint64_t seed) {
    return SequenceClassifier(*model, 2, options_for(HeadKind::kBert), seed)
        .predict(batch, nullptr);
  };
  EXPECT_TRUE(at::equal(logits(3), logits(3)));
  EXPECT_GT(largest(logits(3) - logits(4)), 1e-4);
}

TEST(SequenceClassifier, BothPassesAgreeWithoutDropout) {
  for (const char* name : {"bert_st", "roberta_hf"}) {
    const auto model = glue_model(name);
    const text::TokenBatch batch = tokens_of(*model);
    for (const auto& options :
         {options_for(HeadKind::kBert), options_for(HeadKind::kRoberta),
          options_for(HeadKind::kLinear, 0, "mean"), options_for(HeadKind::kLinear, 0, "max"),
          options_for(HeadKind::kLinear, 0, "cls-pooler")}) {
      const SequenceClassifier classifier(*model, 3, options, 3);
      const at::Tensor trained = classifier.forward(batch, kExamples, 0).detach().cpu();
      EXPECT_LT(largest(trained - classifier.predict(batch, nullptr)), 2e-5)
          << name << " " << options.pooling;
    }
  }
}

// Many texts are split into packed batches by length, and returned in their original order.
TEST(SequenceClassifier, PredictsManyTextsInTheirOrder) {
  const auto model = glue_model();
  GlueSet set;
  for (int64_t i = 0; i < 300; ++i)
    set.first.push_back(std::string(i % 11 == 0 ? "two old birds fly over " : "") + "the " +
                        std::to_string(i * 37));
  const text::TokenBatch all = tokenise_glue(model->tokenizer(), set, 0, nullptr);
  const SequenceClassifier classifier(*model, 2, options_for(HeadKind::kBert, 0.1), 3);
  const at::Tensor logits = classifier.predict(all, nullptr);
  ASSERT_EQ(logits.size(0), 300);
  for (const int64_t i : {0, 1, 11, 150, 299}) {
    EXPECT_LT(largest(classifier.predict(pick_texts(all, {i}), nullptr)[0] - logits[i]), 1e-5) << i;
  }
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { classifier.predict(all, &cancel); });
}

TEST(SequenceClassifier, DropoutIsAFunctionOfExampleAndEpoch) {
  const auto model = glue_model();
  const text::TokenBatch batch = tokens_of(*model);
  for (const HeadKind head : {HeadKind::kBert, HeadKind::kRoberta, HeadKind::kLinear}) {
    ClassifierOptions options = options_for(head);
    options.head_dropout = 0.5;
    for (const double in_encoder : {0.0, 0.3}) {
      options.dropout = in_encoder;
      const SequenceClassifier classifier(*model, 2, options, 3);
      const at::Tensor once = classifier.forward(batch, kExamples, 1).detach().cpu();
      EXPECT_TRUE(at::equal(once, classifier.forward(batch, kExamples, 1).detach().cpu()));
      EXPECT_GT(largest(once - classifier.forward(batch, kExamples, 2).detach().cpu()), 1e-4);
      EXPECT_GT(largest(once - classifier.forward(batch, {1, 2, 3, 4}, 1).detach().cpu()), 1e-4);
      const at::Tensor alone = classifier.forward(pick_texts(batch, {2}), {8}, 1).detach().cpu();
      EXPECT_LT(largest(alone[0] - once[2]), 1e-5)
          << "what is dropped does not depend on the rest of the batch";
      EXPECT_GT(largest(once - classifier.predict(batch, nullptr)), 1e-4)
          << "no dropout in evaluation";
    }
  }
}

// Central differences of the function that forward() computes, with fixed dropout masks.
TEST(SequenceClassifier, GradientsAreThoseOfFiniteDifferences) {
  for (const char* name : {"bert_st", "roberta_hf"}) {
    const auto model = glue_model(name);
    const text::TokenBatch batch = tokens_of(*model);
    for (const HeadKind head : {HeadKind::kBert, HeadKind::kRoberta, HeadKind::kLinear}) {
      ClassifierOptions options = options_for(head);
      options.head_dropout = 0.3;
      const SequenceClassifier classifier(*model, 3, options, 3);
      const at::Tensor factors =
          at::arange(1, 13, at::kFloat).sin().view({4, 3}).to(c10::Device(test_device()));
      const auto loss = [&] { return (classifier.forward(batch, kExamples, 1) * factors).sum(); };
      loss().backward();
      int64_t compared = 0;
      for (const optim::Parameter& parameter : classifier.parameters()) {
        const bool of_head =
            parameter.name.rfind("classifier", 0) == 0 || parameter.name.rfind("pooler", 0) == 0;
        const bool of_last_layer =
            parameter.name.rfind("encoder.layer.1.output.", 0) == 0 && parameter.tensor.dim() == 1;
        if (!of_head && !of_last_layer) continue;
        ASSERT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
        const at::Tensor gradient = parameter.tensor.grad().contiguous().view({-1});
        const c10::NoGradGuard no_grad;
        const at::Tensor values = parameter.tensor.view({-1});
        for (int64_t i = 0; i < gradient.numel(); i += 1 + gradient.numel() / 40) {
          const float saved = values[i].item<float>(), h = 1e-2f;
          values[i].fill_(saved + h);
          const double above = loss().item<double>();
          values[i].fill_(saved - h);
          const double below = loss().item<double>();
          values[i].fill_(saved);
          EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2.0 * h), 2e-3)
              << name << " " << parameter.name << " " << i;
          ++compared;
        }
      }
      EXPECT_GT(compared, 60);
    }
  }
}

TEST(SequenceClassifier, MixedPrecisionIsCloseAndTrains) {
  const auto model = glue_model();
  const text::TokenBatch batch = tokens_of(*model);
  ClassifierOptions options = options_for(HeadKind::kBert);
  const at::Tensor exact =
      SequenceClassifier(*model, 2, options, 3).forward(batch, kExamples, 0).detach().cpu();
  options.amp = optim::Amp::kBfloat16;
  const SequenceClassifier classifier(*model, 2, options, 3);
  const at::Tensor coarse = classifier.forward(batch, kExamples, 0);
  EXPECT_EQ(coarse.scalar_type(), at::kFloat);
  EXPECT_GT(largest(coarse.detach().cpu() - exact), 0);
  EXPECT_LT(largest(coarse.detach().cpu() - exact), 0.05);
  coarse.sum().backward();
  for (const optim::Parameter& parameter : classifier.parameters()) {
    ASSERT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
    EXPECT_EQ(parameter.tensor.grad().scalar_type(), at::kFloat) << parameter.name;
  }
}

TEST(SequenceClassifier, RefusesWhatDoesNotFit) {
  const auto model = glue_model();
  expect_error(Status::kArgument, "'pooling'",
               [&] { SequenceClassifier(*model, 2, options_for(HeadKind::kBert, 0, "mean"), 3); });
  expect_error(Status::kArgument, "pooling 'layer:9:cls': the form is layer:k:cls", [&] {
    SequenceClassifier(*model, 2, options_for(HeadKind::kLinear, 0, "layer:9:cls"), 3);
  });
  model::LoadOptions half;
  half.precision = "bfloat16";
  const auto coarse =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device(half));
  expect_error(Status::kArgument, "float32",
               [&] { SequenceClassifier(*coarse, 2, options_for(HeadKind::kBert), 3); });
}

}  // namespace
}  // namespace contrastive::eval
