// SentEval's tasks with a real encoder, from real files to accuracies, against PyTorch's classifier
// on the same embeddings and random draws (tests/golden/eval/transfer_minilm.json, written by
// transfer.py there). Neither data nor encoder is part of the repository: CONTRASTIVE_DATA names
// the folder with the data, CONTRASTIVE_MINILM the encoder's. Without them the test is skipped with
// a message.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/eval/evaluate.h"
#include "tests/real_parts.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

constexpr double kPoints = 0.003;  // the accuracy of MRPC and TREC has steps of 0.0006 and 0.002

class RealTransfer : public testing::TestWithParam<const char*> {};

TEST_P(RealTransfer, AccuraciesAreThoseOfPyTorchOnTheSameDraws) {
  const std::string task = GetParam();
  if (const std::string why = what_is_missing("senteval"); !why.empty()) GTEST_SKIP() << why;
  if (task == "MPQA" && environment("CONTRASTIVE_LONG").empty())
    GTEST_SKIP() << "CONTRASTIVE_LONG is not set: the task with nested folds takes very long";
  const auto model = model::SentenceEncoder::load(minilm_folder());
  const Json golden = read_json_file(fixtures() + "/../golden/eval/transfer_minilm.json")["tasks"];
  const auto expected = std::find_if(golden.begin(), golden.end(),
                                     [&](const Json& entry) { return entry["task"] == task; });
  ASSERT_NE(expected, golden.end());
  Config config;
  config.set("data", environment("CONTRASTIVE_DATA") + "/senteval");
  config.set_json("tasks", Json::array({task}));
  config.set_json("preset", expected->at("preset"));
  const Json found = evaluate(*model, "transfer", config, nullptr)["tasks"][task];
  for (const char* figure : {"dev", "test", "f1"}) {
    if (!expected->contains(figure)) continue;
    EXPECT_NEAR(found[figure].get<double>(), expected->at(figure).get<double>(), kPoints) << figure;
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, RealTransfer, testing::Values("MRPC", "TREC", "MPQA"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace contrastive::eval
