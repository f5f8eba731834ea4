// A real task with a real encoder. The data sets are not part of the repository: CONTRASTIVE_DATA
// names the folder that contains senteval/. The model is found as in minilm_test.cpp. Without one
// of them the test is skipped with a message.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "core/eval/evaluate.h"
#include "tests/real_parts.h"

namespace contrastive::eval {
namespace {

// SST-2 as SentEval's copy has it: GLUE's training and dev sets (67,349 and 872 lines).
TEST(GlueOnMiniLm, SixtyUpdatesBeatTheMajorityOnSst2) {
  const std::string data = environment("CONTRASTIVE_DATA");
  if (const std::string why = what_is_missing("senteval/SST2"); !why.empty()) GTEST_SKIP() << why;
  const auto model = model::SentenceEncoder::load(minilm_folder());
  Config config = Config::parse(
      R"({"tasks": ["SST-2"], "max_steps": 60, "lr": ["2e-4"], "batch_size": ["32"], "head": "linear"})");
  config.set_json("data", data + "/senteval");
  const Json sst = evaluate(*model, "glue", config, nullptr)["tasks"]["SST-2"];
  EXPECT_EQ(sst["examples"]["train"], 67349);
  EXPECT_EQ(sst["examples"]["reported"], 872);
  EXPECT_GT(sst["accuracy"].get<double>(), 0.75) << "the more frequent label has 0.509";
  std::cout << "SST-2 after 60 updates: " << sst["runs"].dump() << "\n";
}

}  // namespace
}  // namespace contrastive::eval
