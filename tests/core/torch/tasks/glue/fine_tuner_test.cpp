// Updates against plain PyTorch with transformers' heads: tests/golden/eval/glue.py.
#include "core/torch/tasks/glue/fine_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/torch/tasks/glue/glue_tokens.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

FineTuneOptions options_of(const Json& run) {
  Config config;
  for (const char* key : {"optimizer", "eps", "weight_decay", "decay_all", "clip_norm", "schedule",
                          "betas", "head"}) {
    config.set_json(key, run.at(key));
  }
  config.set_json("dropout", 0);
  config.set_json("head_dropout", 0);
  if (run.at("head") == "linear") config.set_json("pooling", "mean");
  return read_options<FineTuneOptions>(config);
}

TEST(FineTuner, TrainsAsPlainPyTorchDoes) {
  const Json& golden = glue_golden();
  ASSERT_EQ(golden.at("cases").size(), 4u);
  const auto updates = static_cast<int64_t>(golden.at("batches").size());
  ASSERT_EQ(updates, 16);
  for (const Json& run : golden.at("cases")) {
    SCOPED_TRACE(run.at("model").get<std::string>() + " " + run.at("head").get<std::string>());
    const auto model = glue_model(run.at("model"));
    const FineTuneOptions options = options_of(run);
    const auto outputs = run.at("outputs").get<int64_t>(),
               length = run.at("max_length").get<int64_t>();
    const bool pairs = run.at("pairs").get<bool>();
    SequenceClassifier classifier(*model, outputs, options.classifier,
                                  golden.at("seed").get<uint64_t>());
    FineTuner tuner(classifier, outputs == 1, options, run.at("lr").get<double>(),
                    golden.at("warmup").get<int64_t>(), updates);
    for (size_t step = 0; step < golden.at("batches").size(); ++step) {
      const GlueSet set = golden_set(golden.at("batches").at(step), pairs, outputs);
      const std::vector<uint64_t> examples(set.targets.size(), 0);
      const double expected = run.at("losses").at(step).get<double>();
      const text::TokenBatch batch = tokenise_glue(model->tokenizer(), set, length, nullptr);
      EXPECT_NEAR(tuner.update(batch, set.targets, examples, 0), expected, 1e-5 * expected) << step;
    }
    EXPECT_EQ(tuner.updates(), updates);
    const GlueSet test = golden_set(golden.at("test"), pairs, outputs);
    const at::Tensor logits =
        classifier.predict(tokenise_glue(model->tokenizer(), test, length, nullptr), nullptr);
    ASSERT_EQ(logits.size(0), 12);
    for (int64_t i = 0; i < logits.size(0); ++i) {
      const auto expected = run.at("logits").at(static_cast<size_t>(i)).get<std::vector<double>>();
      for (int64_t k = 0; k < outputs; ++k) {
        EXPECT_NEAR(logits[i][k].item<double>(), expected.at(static_cast<size_t>(k)), 1e-5)
            << i << " " << k;
      }
    }
  }
}

TEST(FineTuner, TheStartModelStaysAsItIs) {
  const auto model = glue_model();
  const std::string before = model->fingerprint();
  SequenceClassifier classifier(*model, 2, {}, 1);
  FineTuner tuner(classifier, false, {}, 0.01, 0, 10);
  GlueSet set = golden_set(glue_golden().at("batches").at(0), true, 2);
  const text::TokenBatch batch = tokenise_glue(model->tokenizer(), set, 0, nullptr);
  const std::vector<uint64_t> examples = {0, 1, 2, 3, 4, 5};
  for (int step = 0; step < 3; ++step) tuner.update(batch, set.targets, examples, 0);
  EXPECT_EQ(model->fingerprint(), before);
}

TEST(FineTuner, ALossThatIsNotFiniteLeavesTheWeights) {
  const auto model = glue_model();
  SequenceClassifier classifier(*model, 1, {}, 1);
  FineTuner tuner(classifier, true, {}, 0.01, 0, 10);
  GlueSet set = golden_set(glue_golden().at("batches").at(0), true, 1);
  const text::TokenBatch batch = tokenise_glue(model->tokenizer(), set, 0, nullptr);
  const double before = classifier.predict(batch, nullptr).sum().item<double>();
  set.targets[3] = std::numeric_limits<double>::infinity();
  expect_error(Status::kNumeric, "loss of update 0",
               [&] { tuner.update(batch, set.targets, {0, 1, 2, 3, 4, 5}, 0); });
  EXPECT_EQ(classifier.predict(batch, nullptr).sum().item<double>(), before);
  EXPECT_EQ(tuner.updates(), 0);
}

TEST(FineTuner, BetasAreTwoNumbersBelowOne) {
  FineTuneOptions options;
  EXPECT_EQ(*options.resolved_optimizer().keys.find("betas"), Json({0.9, 0.98}));
  for (const char* bad : {"[0.9]", "[0.9, 1]", "[0.9, -0.1]", "[0.9, \"x\"]", "[0.9, 0.9, 0.9]"}) {
    const Config config = Config::parse(std::string("{\"betas\": ") + bad + "}");
    SCOPED_TRACE(bad);
    expect_error(Status::kArgument, "config key 'betas' takes",
                 [&] { read_options<FineTuneOptions>(config).resolved_optimizer(); });
  }
}

}  // namespace
}  // namespace contrastive::eval
