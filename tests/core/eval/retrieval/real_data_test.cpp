// All-MiniLM-L6-v2 on real pairs and triplets against sentence-transformers' evaluators
// (tests/golden/eval/real_retrieval.py). Neither data nor model is part of the repository:
// CONTRASTIVE_DATA names the folder of the unpacked data, CONTRASTIVE_MINILM that of the model
// (default: the quickstart's cache). Without them the test is skipped with a message.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/eval/evaluate.h"
#include "tests/real_parts.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

class RetrievalRealData : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = what_is_missing("."); !why.empty()) GTEST_SKIP() << why;
    golden_ = read_json_file(fixtures() + "/../golden/eval/real_retrieval.json");
    encoder_ = model::SentenceEncoder::load(minilm_folder());
  }
  // The task's report on the file of its golden values.
  Json report(const std::string& task, Config config = {}) const {
    config.set("data",
               environment("CONTRASTIVE_DATA") + "/" + golden_[task]["data"].get<std::string>());
    return evaluate(*encoder_, task, config, nullptr);
  }

  Json golden_;
  std::shared_ptr<model::SentenceEncoder> encoder_;
};

TEST_F(RetrievalRealData, Pairs) {
  const Json json = report("pairs"), &golden = golden_["pairs"];
  for (const std::string metric : {"cosine", "dot", "euclidean", "manhattan"}) {
    for (const std::string figure : {"accuracy", "f1", "precision", "recall", "mcc"}) {
      EXPECT_NEAR(json[metric][figure].get<double>(), golden[metric + "_" + figure].get<double>(),
                  1e-4)
          << metric << " " << figure;
    }
    EXPECT_NEAR(json[metric]["average_precision"].get<double>(),
                golden[metric + "_ap"].get<double>(), 1e-4)
        << metric;
  }
}

TEST_F(RetrievalRealData, Triplets) {
  const Json json = report("triplets"), &golden = golden_["triplets"];
  for (const std::string metric : {"cosine", "dot", "euclidean", "manhattan"}) {
    // One triplet of the file is more than the tolerance, so all must be decided in the same way.
    EXPECT_NEAR(json["accuracy"][metric].get<double>(), golden[metric + "_accuracy"].get<double>(),
                1e-4)
        << metric;
  }
}

TEST_F(RetrievalRealData, Paraphrases) {
  Config config;
  config.set("top_k", "10");
  const Json json = report("paraphrases", config), &golden = golden_["paraphrases"];
  for (const char* figure : {"average_precision", "f1", "precision", "recall", "threshold"}) {
    EXPECT_NEAR(json[figure].get<double>(), golden[figure].get<double>(), 1e-4) << figure;
  }
}

}  // namespace
}  // namespace contrastive::eval
