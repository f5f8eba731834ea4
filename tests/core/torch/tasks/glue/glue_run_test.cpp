#include "core/torch/tasks/glue/glue_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "core/base/log.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

// A task in a folder that a tiny encoder learns in a few epochs.
class GlueRunTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() + "/SST-2");
    folder_.write("SST-2/train.tsv", cat_lines(120));
    folder_.write("SST-2/dev.tsv", cat_lines(60, 1000));
    model_ = glue_model();
  }
  void TearDown() override { set_log_sink({}, LogLevel::kWarning); }

  GlueOptions options(const std::string& more = "{}") const {
    Config config = Config::parse(
        R"({"lr": ["0.003"], "batch_size": ["16"], "epochs": 6, "optimizer": "adamw", "clip_norm": 1})");
    config.merge(Config::parse(more));
    return read_glue_options(config, "SST-2");
  }
  GlueRun run(const GlueOptions& options, int64_t seed = 1, const Cancel* cancel = nullptr) const {
    const GlueData data = read_glue(sst_, folder_.path(), options.split, options.select_part);
    const GlueTokens tokens = tokenise_glue(*model_, data, options.max_length, nullptr);
    return run_glue(*model_, sst_, data, tokens, options, {options.lr[0], options.batch_size[0]},
                    seed, cancel);
  }

  TemporaryFolder folder_;
  const GlueDefinition& sst_ = find_glue_definition("SST-2");
  std::shared_ptr<model::SentenceEncoder> model_;
};

TEST_F(GlueRunTest, LearnsATaskAndLeavesTheModel) {
  const std::string before = model_->fingerprint();
  const GlueRun learned = run(options());
  EXPECT_GT(learned.figures.score, 0.85) << "half of the labels are 1";
  EXPECT_EQ(learned.select, learned.figures.score);
  EXPECT_EQ(learned.steps, 48);
  EXPECT_GE(learned.epoch, 1);
  EXPECT_LE(learned.epoch, 6);
  EXPECT_LT(learned.loss, 0.6);
  EXPECT_EQ(model_->fingerprint(), before);
}

TEST_F(GlueRunTest, TheSameSeedGivesTheSameRun) {
  const GlueOptions short_run = options(R"({"epochs": 2})");
  const GlueRun one = run(short_run, 5), two = run(short_run, 5), other = run(short_run, 6);
  EXPECT_EQ(one.loss, two.loss);
  EXPECT_EQ(one.figures.values, two.figures.values);
  EXPECT_NE(one.loss, other.loss);
}

TEST_F(GlueRunTest, ReportsTheEpochThatTheSelectionChose) {
  std::vector<double> dev;
  std::vector<std::string> messages;
  set_log_sink(
      [&](LogLevel, const std::string& message) {
        messages.push_back(message);
        const size_t at = message.find(", dev ");
        if (at != std::string::npos) dev.push_back(std::stod(message.substr(at + 6)));
      },
      LogLevel::kInfo);
  const GlueRun best = run(options());
  ASSERT_EQ(dev.size(), 6u);
  EXPECT_THAT(messages.back(), HasSubstr("SST-2 seed 1 epoch 6: loss"));
  size_t first_best = 0;
  for (size_t i = 1; i < dev.size(); ++i) first_best = dev[i] > dev[first_best] ? i : first_best;
  EXPECT_EQ(best.epoch, static_cast<int64_t>(first_best) + 1);
  EXPECT_NEAR(best.figures.score, dev[first_best], 1e-4);
  const double at_the_end = dev.back();
  dev.clear();
  const GlueRun last = run(options(R"({"keep": "last"})"));
  EXPECT_EQ(dev.size(), 1u) << "only the end is measured";
  EXPECT_EQ(last.epoch, 6);
  EXPECT_NEAR(last.figures.score, at_the_end, 1e-4);
}

TEST_F(GlueRunTest, ReportsTheOtherPartOfASplitDevSet) {
  const GlueRun whole = run(options(R"({"keep": "last", "max_steps": 11})"));
  const GlueRun split = run(
      options(R"({"keep": "last", "max_steps": 11, "split": "split-dev", "select_part": 0.4})"));
  EXPECT_EQ(split.loss, whole.loss) << "the same training";
  EXPECT_NEAR(0.4 * split.select + 0.6 * split.figures.score, whole.figures.score, 1e-9)
      << "24 examples and the 36 others";
  EXPECT_NE(split.select, split.figures.score) << "two sets, half learnt";
}

// The last layer's LayerNorms give their biases for every text. The second one's weight is 0 at
// first, so the first update does not change the first one's weight: after it all predictions are
// still equal, and from the second update on they differ.
std::shared_ptr<model::SentenceEncoder> constant_at_first() {
  const auto model = glue_model()->snapshot();
  int64_t found = 0;
  for (const auto& [name, weight] : nn::trainable(model->encoder()).named_parameters()) {
    const bool of_last_layer =
        name.find("encoder.layer.1.") == 0 && name.find("LayerNorm.weight") != std::string::npos;
    if (of_last_layer) weight.detach().zero_(), ++found;
  }
  EXPECT_EQ(found, 2);
  return model;
}

// One update per epoch on this task, and the dev scores that are defined.
GlueRun run_from_constant(const GlueDefinition& definition, const std::string& folder,
                          int64_t epochs, std::vector<std::string>& warnings) {
  GlueOptions options =
      read_glue_options(Config::parse(R"({"optimizer": "adamw", "warmup_ratio": 0})"),
                        definition.name);
  options.epochs = epochs;
  options.max_steps = options.warmup_steps = 0;
  options.tuning.classifier.dropout = options.tuning.classifier.head_dropout = 0;
  const auto model = constant_at_first();
  const GlueData data = read_glue(definition, folder, options.split, options.select_part);
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  return run_glue(*model, definition, data, tokenise_glue(*model, data, 0, nullptr), options,
                  {0.01, 1000}, 1, nullptr);
}

TEST_F(GlueRunTest, AScoreThatIsNotDefinedLosesToAnyOther) {
  std::filesystem::create_directories(folder_.path() + "/STS-B");
  std::string lines;
  for (const char* word : {"cat", "dog", "bird", "house", "tree", "mat", "red", "blue"}) {
    for (const char* other : {"cat", "bird", "mat"})
      lines +=
          cat(word == std::string(other) ? 5 : word[0] % 4, "\tthe ", word, "\tthe ", other, "\n");
  }
  for (const char* part : {"train", "dev"})
    folder_.write(std::string("STS-B/") + part + ".tsv", lines);
  std::vector<std::string> warnings;
  const GlueRun run = run_from_constant(find_glue_definition("STS-B"), folder_.path(), 4, warnings);
  ASSERT_EQ(warnings.size(), 1u) << "of the first epoch";
  EXPECT_THAT(warnings[0], HasSubstr("dev.tsv: the score of STS-B is not defined"));
  EXPECT_GT(run.epoch, 1);
  EXPECT_TRUE(std::isfinite(run.select));
  EXPECT_EQ(run.select, run.figures.score);
}

// scikit-learn's figure is reported, but does not choose anything.
TEST_F(GlueRunTest, MatthewsOfEqualPredictionsIsReportedAndNeverBest) {
  std::filesystem::create_directories(folder_.path() + "/CoLA");
  for (const char* part : {"train", "dev"})
    folder_.write(std::string("CoLA/") + part + ".tsv", cat_lines(30));
  std::vector<std::string> warnings;
  const GlueRun run = run_from_constant(find_glue_definition("CoLA"), folder_.path(), 1, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("the score of CoLA is not defined"));
  EXPECT_EQ(run.figures.score, 0);
  EXPECT_TRUE(std::isnan(run.select)) << "below a negative score of another epoch or cell";
}

TEST_F(GlueRunTest, CountsUpdatesInUnfinishedEpochs) {
  const GlueRun cut = run(options(R"({"max_steps": 11})"));
  EXPECT_EQ(cut.steps, 11);
  EXPECT_GE(cut.epoch, 1);
  EXPECT_LE(cut.epoch, 2);
}

TEST_F(GlueRunTest, StopsBetweenUpdates) {
  Cancel cancel;
  int64_t epochs = 0;
  set_log_sink(
      [&](LogLevel, const std::string&) {
        if (++epochs == 2) cancel.trigger();
      },
      LogLevel::kInfo);
  expect_error(Status::kCancelled, "cancelled", [&] { run(options(), 1, &cancel); });
  EXPECT_EQ(epochs, 2);
}

TEST_F(GlueRunTest, RefusesALengthBeyondTheModels) {
  expect_error(Status::kArgument, "40 tokens", [&] { run(options(R"({"max_length": 41})")); });
}

}  // namespace
}  // namespace contrastive::eval
