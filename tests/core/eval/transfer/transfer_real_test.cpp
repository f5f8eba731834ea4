// SentEval's tasks with a real encoder, from real files to accuracies, against what PyTorch's classifier makes of the same embeddings and draws
// (tests/golden/eval/transfer_minilm.json, written by transfer.py there). Neither data nor encoder is part of the repository: CONTRASTIVE_DATA names
// the folder with the data, CONTRASTIVE_MINILM the encoder's; without them the test says so and is skipped.
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/eval/evaluate.h"
#include "tests/real_parts.h"

namespace contrastive::eval {
namespace {

constexpr double kPoints = 0.003;  // the accuracy of MRPC and TREC has steps of 0.0006 and 0.002

TEST(RealTransfer, AccuraciesAreThoseOfPyTorchOnTheSameDraws) {
  if (const std::string why = what_is_missing("senteval"); !why.empty()) GTEST_SKIP() << why;
  const std::string data = environment("CONTRASTIVE_DATA") + "/senteval";
  const auto model = model::SentenceEncoder::load(minilm_folder());
  const Json golden = read_json_file(CONTRASTIVE_FIXTURES "/../golden/eval/transfer_minilm.json");
  ASSERT_GE(golden["tasks"].size(), 2u);
  for (const Json& expected : golden["tasks"]) {
    const std::string task = expected["task"];
    Config config;
    config.set("data", data);
    config.set_json("tasks", Json::array({task}));
    config.set_json("preset", expected["preset"]);
    const Json found = evaluate(*model, "transfer", config, nullptr)["tasks"][task];
    for (const char* figure : {"dev", "test", "f1"}) {
      if (!expected.contains(figure)) continue;
      EXPECT_NEAR(found[figure].get<double>(), expected[figure].get<double>(), kPoints) << task << " " << figure;
    }
  }
}

}  // namespace
}  // namespace contrastive::eval
