// Static embeddings train as any encoder does: only the table changes.
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

std::shared_ptr<model::SentenceEncoder> static_model(const std::string& name) {
  return model::SentenceEncoder::load(fixtures() + "/../golden/static/" + name, on_test_device());
}

const char* const kRun =
    R"({"lr": 0.05, "mnrl.dropout": false, "schedule": "constant", "warmup_steps": 0})";

TEST(StaticTraining, MultipleNegativesMoveTheRowsOfTheirTokens) {
  for (const char* name : {"model2vec", "sentence_transformers"}) {
    SCOPED_TRACE(name);
    const auto start = static_model(name);
    run::TrainingRun trainer(start, toy_pairs(40), toy_config(kRun, "mnrl"));
    ASSERT_EQ(trainer.step(), Status::kOk);
    const double first = trainer.metric("loss");
    for (int i = 0; i < 15; ++i) ASSERT_EQ(trainer.step(), Status::kOk);
    EXPECT_LT(trainer.metric("loss"), 0.9 * first);
    const auto trained = trainer.trained(false);
    const Tensor before = start->encoder().named_parameters().at(0).second,
                 after = trained->encoder().named_parameters().at(0).second;
    EXPECT_FALSE(before == after);
    // The saved model gives the same vectors after it is loaded.
    const TemporaryFolder folder;
    trained->save(folder / "model");
    const auto loaded = model::SentenceEncoder::load(folder / "model", on_test_device());
    EXPECT_EQ(loaded->fingerprint(), trained->fingerprint());
  }
}

// d mean / d row: each of a text's tokens gets its share; a row that no text has gets nothing.
TEST(StaticTraining, TheGradientOfATextIsSharedAmongItsTokens) {
  const auto model = static_model("sentence_transformers")->snapshot();
  nn::TrainableEncoder encoder = nn::trainable(model->encoder());
  encoder.set_requires_grad(true);
  const std::vector<int32_t> ids = {3, 4, 3, 5};
  const std::vector<int64_t> offsets = {0, 3, 3, 4};  // the second text is empty
  nn::PackedTokens tokens;
  tokens.ids = ids.data();
  tokens.offsets = offsets.data();
  tokens.texts = 3;
  const at::Tensor vectors =
      encoder.pool(encoder::parse_pooling("mean", 0),
                   encoder.run_layers(encoder.embed(tokens), tokens), tokens);
  const at::Tensor table = encoder.named_parameters().at(0).second;
  EXPECT_LT((vectors[0] - (table[3] * 2 + table[4]) / 3).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(vectors[1].abs().max().item<double>(), 0);
  vectors.sum().backward();
  const at::Tensor gradient = table.grad();
  EXPECT_NEAR(gradient[3][0].item<double>(), 2.0 / 3, 1e-6);
  EXPECT_NEAR(gradient[4][1].item<double>(), 1.0 / 3, 1e-6);
  EXPECT_NEAR(gradient[5][0].item<double>(), 1, 1e-6);
  EXPECT_EQ(gradient[6].abs().max().item<double>(), 0);
}

TEST(StaticTraining, AResumedRunIsTheSame) {
  const TemporaryFolder folder;
  const std::string keys = R"({"lr": 0.05, "max_steps": 9})";
  run::TrainingRun whole(static_model("model2vec"), toy_pairs(40), toy_config(keys, "mnrl"));
  for (int i = 0; i < 5; ++i) whole.step();
  whole.save(folder / "run");
  const auto resumed =
      run::TrainingRun::resume(folder / "run", static_model("model2vec"), toy_pairs(40), {});
  while (whole.step() == Status::kOk) resumed->step();
  EXPECT_EQ(whole.trained(false)->fingerprint(), resumed->trained(false)->fingerprint());
}

TEST(StaticTraining, WhatNeedsLayersSaysSo) {
  const auto refused = [](const std::string& method, const std::string& keys,
                          const std::string& message) {
    expect_error(Status::kArgument, message, [&] {
      run::TrainingRun(static_model("model2vec"), toy_pairs(40), toy_config(keys, method));
    });
  };
  refused("simcse", R"({"simcse.positives": "pairs"})", "use mean");
  refused("mnrl", R"({"mnrl.lora_rank": 4})", "no layer for an adapter");
}

}  // namespace
}  // namespace contrastive
