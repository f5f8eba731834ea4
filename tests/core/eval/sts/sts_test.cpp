#include "core/eval/sts/sts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/log.h"
#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Sts, EncodesEachDistinctTextOnce) {
  StsSubset subset{
      "s", {5, 4, 1, 0}, {"abc", "abc", "xyz", "abc"}, {"abc", "abd", "abc", "uvw"}, 0};
  LetterEncoder letters;
  const StsReport report =
      evaluate_sts({subset, subset}, letters.encoder(), retrieval::Metric::kCosine);
  EXPECT_EQ(letters.encoded, 4);
  // Cosines 1, 2/3, 0, 0 against 5, 4, 1, 0: ranks 4, 3, 1.5, 1.5 against 4, 3, 2, 1.
  EXPECT_NEAR(report.mean.spearman, 4.5 / std::sqrt(5.0 * 4.5), 1e-12);
  EXPECT_EQ(report.subsets[0].pairs, 4);
  const StsReport distance =
      evaluate_sts({subset}, letters.encoder(), retrieval::Metric::kEuclidean);
  EXPECT_GT(distance.all.spearman, 0.9) << "a distance must be negated, because near means similar";
  letters.encoded = 0;
  evaluate_sts_sets({{"a", {subset}}, {"b", {subset, subset}}}, letters.encoder(),
                    retrieval::Metric::kCosine);
  EXPECT_EQ(letters.encoded, 4) << "over all data sets";
}

// tests/golden/eval/sts.py
TEST(Sts, SimilaritiesAreThoseOfSentenceTransformers) {
  const Json& golden = fixture("sts_golden.json")["similarity"];
  const auto d = golden["dimension"].get<int64_t>();
  const auto first = golden["first"].get<std::vector<float>>(),
             second = golden["second"].get<std::vector<float>>();
  StsSubset subset{"s", golden["gold"].get<std::vector<double>>(), {}, {}, 0};
  for (size_t i = 0; i < subset.gold.size(); ++i) {
    subset.first.push_back("a" + std::to_string(i));
    subset.second.push_back("b" + std::to_string(i));
  }
  const TextEncoder table{d, [&](const std::vector<std::string_view>& texts, float* embeddings) {
                            for (size_t i = 0; i < texts.size(); ++i) {
                              const auto row = std::stoll(std::string(texts[i].substr(1)));
                              std::copy_n((texts[i][0] == 'a' ? first : second).data() + row * d, d,
                                          embeddings + static_cast<int64_t>(i) * d);
                            }
                          }};
  for (const auto& [name, metric] : retrieval::metric_names()) {
    const StsReport report = evaluate_sts({subset}, table, metric);
    EXPECT_NEAR(report.all.spearman, golden[name]["spearman"].get<double>(), 1e-12) << name;
    EXPECT_NEAR(report.all.pearson, golden[name]["pearson"].get<double>(), 1e-6)
        << name;  // similarities are float32
  }
}

TEST(Sts, PartsGiveTheSame) {
  StsSubset subset{"s", {}, {}, {}, 0};
  for (int i = 0; i < 40; ++i) {
    subset.gold.push_back(i % 5);
    subset.first.push_back(std::string(static_cast<size_t>(i % 7 + 1), 'a') + "b");
    subset.second.push_back(std::string(static_cast<size_t>(i % 4 + 1), 'b') + "a");
  }
  const std::vector<StsSet> sets = {{"x", {subset, subset}}, {"y", {subset}}};
  LetterEncoder whole, parts;
  const auto expected = score_sts(sets, whole.encoder(), 1, retrieval::Metric::kCosine);
  EXPECT_EQ(score_sts(sets, parts.encoder(), 1, retrieval::Metric::kCosine, 26 * 4 * 3), expected);
  EXPECT_GT(parts.encoded, whole.encoded) << "memory for three vectors is not enough for all";
}

TEST(Sts, EachVariantIsScoredAlone) {
  const std::vector<StsSet> sets = {{"x", {{"s", {1, 2}, {"a", "b"}, {"b", "b"}, 0}}}};
  // Two vectors of two numbers for each text.
  const TextEncoder encoder{4, [](const std::vector<std::string_view>& texts, float* out) {
                              for (size_t i = 0; i < texts.size(); ++i) {
                                const float row[2][4] = {{1, 0, 0, 2}, {1, 1, 0, -1}};
                                std::copy_n(row[texts[i] == "a" ? 0 : 1], 4, out + 4 * i);
                              }
                            }};
  const auto scores = score_sts(sets, encoder, 2, retrieval::Metric::kDot);
  EXPECT_THAT(scores, ElementsAre(SubsetScores{{1, 2}}, SubsetScores{{-2, 1}}));
}

TEST(Sts, ZeroVectorsGive0AndOneWarning) {
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, const std::string& message) { said.push_back(message); },
               LogLevel::kWarning);
  const std::vector<StsSet> sets = {
      {"x", {{"s", {3, 2, 1}, {"abc", "?", "abc"}, {"abc", "abc", "!"}, 0}}}};
  LetterEncoder letters;
  const auto scores = score_sts(sets, letters.encoder(), 1, retrieval::Metric::kCosine);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(scores[0][0], ElementsAre(1, 0, 0));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("2 of 3 vectors are zero"));
}

TEST(Sts, ConstantPredictionsAreNotANumberAndSaidSo) {
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, const std::string& message) { said.push_back(message); },
               LogLevel::kWarning);
  LetterEncoder letters;
  const StsReport report = evaluate_sts({{"s", {3, 2, 1}, {"a", "b", "c"}, {"a", "b", "c"}, 0}},
                                        letters.encoder(), retrieval::Metric::kCosine);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_TRUE(std::isnan(report.all.spearman));
  EXPECT_TRUE(report.to_json()["spearman"]["all"].is_null());
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said[0], HasSubstr("subset 's' has no correlation"));
}

}  // namespace
}  // namespace contrastive::eval
