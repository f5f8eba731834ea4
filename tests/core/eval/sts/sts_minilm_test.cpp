// Real data and a real encoder: the correlations that sentence-transformers' evaluator gives
// (tests/golden/eval/sts_minilm.json, written by sts_compare.py there). Neither is part of the
// repository: CONTRASTIVE_DATA names the folder with the data, CONTRASTIVE_MINILM the encoder's.
// Without them the test is skipped with a message.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/eval/correlation.h"
#include "core/eval/encode_keys.h"
#include "core/eval/sts/sts.h"
#include "tests/real_parts.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

// For a file with equal sentences, whose cosines of 1 differ by noise there and tie here, "rounded"
// replaces "spearman": the correlation of cosines rounded to six digits.
double rounded_spearman(const std::vector<double>& cosines, const std::vector<double>& gold) {
  std::vector<double> rounded;
  for (const double cosine : cosines) rounded.push_back(std::round(cosine * 1e6));
  return spearman(rounded, gold);
}

TEST(StsMiniLm, CorrelationsAreThoseOfSentenceTransformers) {
  if (const std::string why = what_is_missing("sts"); !why.empty()) GTEST_SKIP() << why;
  const auto model = model::SentenceEncoder::load(minilm_folder());
  const Json golden = read_json_file(fixtures() + "/../golden/eval/sts_minilm.json")["files"];
  ASSERT_EQ(golden.size(), 27u);
  std::vector<StsSet> sets;
  for (const Json& entry : golden) {
    const std::string file = entry["file"];
    sets.push_back({file, read_sts(environment("CONTRASTIVE_DATA") + "/" + file)});
    ASSERT_EQ(sets.back().subsets.size(), 1u) << file;
  }
  // All files at once: half of the sentences occur in several files.
  const SubsetScores cosines =
      score_sts(sets, text_encoder(*model, {}), 1, retrieval::Metric::kCosine)[0];
  for (size_t i = 0; i < sets.size(); ++i) {
    SCOPED_TRACE(sets[i].name);
    const std::vector<double>& gold = sets[i].subsets[0].gold;
    EXPECT_EQ(gold.size(), golden[i]["pairs"]);
    EXPECT_NEAR(pearson(cosines[i], gold), golden[i]["pearson"].get<double>(), 1e-4);
    const bool ties = golden[i].contains("rounded");
    EXPECT_NEAR(ties ? rounded_spearman(cosines[i], gold) : spearman(cosines[i], gold),
                golden[i][ties ? "rounded" : "spearman"].get<double>(), 1e-4);
  }
}

}  // namespace
}  // namespace contrastive::eval
