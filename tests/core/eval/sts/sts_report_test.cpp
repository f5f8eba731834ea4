#include "core/eval/sts/sts_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(StsReport, AggregatesAsPublished) {
  const Json& v = fixture("vectors.json")["correlation"];
  std::vector<StsSubset> subsets(2);
  subsets[0].name = "A";
  subsets[0].gold = numbers(v["gold_A"]);
  subsets[1].name = "B";
  subsets[1].gold = numbers(v["gold_B"]);
  const StsReport report = correlate_sts(subsets, {numbers(v["pred_A"]), numbers(v["pred_B"])});
  for (const auto& [key, correlation] :
       {std::pair("all", report.all), std::pair("mean", report.mean),
        std::pair("wmean", report.wmean)}) {
    EXPECT_NEAR(correlation.spearman, v["agg_spearman"][key].get<double>(), 1e-11) << key;
    EXPECT_NEAR(correlation.pearson, v["agg_pearson"][key].get<double>(), 1e-11) << key;
  }
  const Json json = report.to_json();
  EXPECT_EQ(json.size(), 3u);
  EXPECT_NEAR(json["spearman"]["wmean"].get<double>(), v["agg_spearman"]["wmean"].get<double>(),
              1e-11);
  EXPECT_NEAR(json["subsets"]["B"]["pearson"].get<double>(), v["pearson_B"].get<double>(), 1e-11);
  EXPECT_EQ(json["subsets"]["A"]["pairs"], 4);
}

// tests/golden/eval/sts.py
TEST(StsReport, EqualsSciPy) {
  const Json& golden = fixture("sts_golden.json")["aggregate"];
  std::vector<StsSet> sets;
  SubsetScores predictions;
  for (const Json& set : golden["sets"]) {
    sets.push_back({std::string(1, static_cast<char>('a' + sets.size())), {}});
    for (const Json& subset : set["subsets"]) {
      sets.back().subsets.push_back(
          {std::to_string(sets.back().subsets.size()), numbers(subset["gold"]), {}, {}, 0});
      predictions.push_back(numbers(subset["predictions"]));
    }
  }
  const Json found = correlate_sts_sets(sets, predictions).to_json(StsAggregate::kWmean);
  const auto same = [](const Json& got, const Json& expected) {
    for (const char* figure : {"spearman", "pearson"}) {
      for (const char* key : {"all", "mean", "wmean"})
        EXPECT_NEAR(got[figure][key].get<double>(), expected[figure][key].get<double>(), 1e-12)
            << key;
    }
  };
  same(found, golden["average"]);
  EXPECT_EQ(found["headline"], Json({{"spearman.wmean", found["spearman"]["wmean"]}}));
  for (size_t i = 0; i < sets.size(); ++i) {
    same(found["sets"][sets[i].name], golden["sets"][i]);
    for (size_t j = 0; j < sets[i].subsets.size(); ++j) {
      const Json& expected = golden["sets"][i]["subsets"][j];
      const Json& got = found["sets"][sets[i].name]["subsets"][std::to_string(j)];
      EXPECT_NEAR(got["spearman"].get<double>(), expected["spearman"].get<double>(), 1e-12);
      EXPECT_NEAR(got["pearson"].get<double>(), expected["pearson"].get<double>(), 1e-12);
    }
  }
}

TEST(StsReport, ConstantSubsetsAreLeftOutOfTheMeansAndNull) {
  const StsSubset good{"good", {1, 2, 3}, {}, {}, 0}, flat{"flat", {5, 5}, {}, {}, 0};
  const Json json = correlate_sts({good, flat}, {{1, 2, 4}, {0.1, 0.2}}).to_json();
  EXPECT_EQ(json["spearman"]["mean"], 1.0);
  EXPECT_EQ(json["spearman"]["wmean"], 1.0);
  EXPECT_TRUE(json["subsets"]["flat"]["spearman"].is_null());
  EXPECT_TRUE(correlate_sts({flat}, {{0.1, 0.2}}).to_json()["pearson"]["mean"].is_null());
  const Json suite = correlate_sts_sets({{"a", {good}}, {"b", {flat}}}, {{1, 3, 2}, {0.1, 0.2}})
                         .to_json(StsAggregate::kAll);
  EXPECT_NEAR(suite["spearman"]["all"].get<double>(), 0.5, 1e-12)
      << "a data set without a figure is left out of the average";
  EXPECT_TRUE(suite["sets"]["b"]["spearman"]["all"].is_null());
}

TEST(StsReport, OneSetKeepsItsForm) {
  const StsSubset subset{"x", {1, 2, 3}, {}, {}, 0};
  EXPECT_EQ(correlate_sts_sets({{"a", {subset}}}, {{1, 3, 2}}).to_json(StsAggregate::kMean),
            correlate_sts({subset}, {{1, 3, 2}}).to_json());
}

TEST(StsReport, PairsOneALine) {
  const StsSubset one{"one", {1, 2.5}, {"a", "a\tb"}, {"c", ""}, 0},
      two{"two", {0}, {"d\r\ne"}, {"f"}, 0};
  const std::string lines =
      predictions_tsv({{"a", {one, two}}, {"b", {two}}}, {{0.1f, -1}, {1 / 3.0f}, {1}});
  EXPECT_EQ(lines, "a\tone\t1\t0.1\ta\tc\na\tone\t2.5\t-1\ta b\t\na\ttwo\t0\t0.33333334\td  "
                   "e\tf\nb\ttwo\t0\t1\td  e\tf\n");
  expect_error(Status::kMismatch, "the predictions of subset one",
               [&] { predictions_tsv({{"a", {one}}}, {{0.1}}); });
  expect_error(Status::kMismatch, "the predictions of subset two",
               [&] { predictions_tsv({{"a", {two, two}}}, {{0.1}}); });
}

TEST(StsReport, RefusesPredictionsForOtherPairs) {
  const StsSubset subset{"x", {1, 2, 3}, {}, {}, 0};
  for (const auto& [scores, part] :
       {std::pair(SubsetScores{}, "predictions for 0 subsets"),
        std::pair(SubsetScores{{1, 2}}, "correlation of 2 values with 3"),
        std::pair(SubsetScores{{1, 2, 3}, {1, 2, 3}}, "predictions for 2 subsets")}) {
    expect_error(Status::kMismatch, part,
                 [&, wrong = scores] { correlate_sts_sets({{"a", {subset}}}, wrong); });
  }
}

}  // namespace
}  // namespace contrastive::eval
