// Real data and a real encoder: the correlations that sentence-transformers' evaluator gives (tests/golden/eval/sts_minilm.json, written by
// sts_compare.py there). Neither is part of the repository: CONTRASTIVE_DATA names the folder with the data, CONTRASTIVE_MINILM the encoder's;
// without them the test says so and is skipped.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/real_parts.h"

namespace contrastive::eval {
namespace {

TEST(StsMiniLm, CorrelationsAreThoseOfSentenceTransformers) {
  const std::string data = environment("CONTRASTIVE_DATA");
  if (const std::string why = what_is_missing("sts"); !why.empty()) GTEST_SKIP() << why;
  const auto model = model::SentenceEncoder::load(minilm_folder());
  const Json golden = read_json_file(CONTRASTIVE_FIXTURES "/../golden/eval/sts_minilm.json");
  ASSERT_FALSE(golden["files"].empty());
  for (const Json& entry : golden["files"]) {
    const std::filesystem::path file = entry["file"].get<std::string>();
    if (!path_exists(data + "/" + file.string())) {
      ADD_FAILURE() << data << "/" << file.string() << " is not there";
      continue;
    }
    Config config;
    config.set("data", data + "/" + file.string());
    const Json report = evaluate(*model, "sts", config, nullptr);
    EXPECT_EQ(report["subsets"][file.stem().string()]["pairs"], entry["pairs"]) << file;
    EXPECT_NEAR(report["spearman"]["all"].get<double>(), entry["spearman"].get<double>(), 1e-4) << file;
    EXPECT_NEAR(report["pearson"]["all"].get<double>(), entry["pearson"].get<double>(), 1e-4) << file;
  }
}

}  // namespace
}  // namespace contrastive::eval
