#include "core/eval/sts/sts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/eval/tsv.h"
#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

TEST(Sts, AggregatesAsPublished) {
  const Json& v = fixture("vectors.json")["correlation"];
  std::vector<StsSubset> subsets(2);
  subsets[0].name = "A";
  subsets[0].gold = v["gold_A"].get<std::vector<double>>();
  subsets[1].name = "B";
  subsets[1].gold = v["gold_B"].get<std::vector<double>>();
  const StsReport report = correlate_sts(subsets, {v["pred_A"].get<std::vector<double>>(), v["pred_B"].get<std::vector<double>>()});
  for (const auto& [key, correlation] : {std::pair("all", report.all), std::pair("mean", report.mean), std::pair("wmean", report.wmean)}) {
    EXPECT_NEAR(correlation.spearman, v["agg_spearman"][key].get<double>(), 1e-11) << key;
    EXPECT_NEAR(correlation.pearson, v["agg_pearson"][key].get<double>(), 1e-11) << key;
  }
  const Json json = report.to_json();
  EXPECT_EQ(json.size(), 3u);
  EXPECT_NEAR(json["spearman"]["wmean"].get<double>(), v["agg_spearman"]["wmean"].get<double>(), 1e-11);
  EXPECT_NEAR(json["subsets"]["B"]["pearson"].get<double>(), v["pearson_B"].get<double>(), 1e-11);
  EXPECT_EQ(json["subsets"]["A"]["pairs"], 4);
}

TEST(Sts, ConstantSubsetsAreLeftOutOfTheMeansAndNull) {
  std::vector<StsSubset> subsets(2);
  subsets[0] = {"good", {1, 2, 3}, {}, {}, 0};
  subsets[1] = {"flat", {5, 5}, {}, {}, 0};
  const Json json = correlate_sts(subsets, {{1, 2, 4}, {0.1, 0.2}}).to_json();
  EXPECT_EQ(json["spearman"]["mean"], 1.0);
  EXPECT_EQ(json["spearman"]["wmean"], 1.0);
  EXPECT_TRUE(json["subsets"]["flat"]["spearman"].is_null());
  const Json nothing = correlate_sts({subsets[1]}, {{0.1, 0.2}}).to_json();
  EXPECT_TRUE(nothing["pearson"]["mean"].is_null());
}

TEST(Sts, ReadsAFileAsItStands) {
  const TempFolder folder;
  const std::string path = folder.write("dev.tsv", "\xEF\xBB\xBF" "4.5\ta \"quoted\" text\tb\r\n\n\tnot\tscored\n0\t\tc");
  const std::vector<StsSubset> subsets = read_sts(path);
  ASSERT_EQ(subsets.size(), 1u);
  EXPECT_EQ(subsets[0].name, "dev");
  EXPECT_EQ(subsets[0].gold, (std::vector<double>{4.5, 0}));
  EXPECT_EQ(subsets[0].first, (std::vector<std::string>{"a \"quoted\" text", ""}));
  EXPECT_EQ(subsets[0].second, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(subsets[0].unscored, 1);
}

TEST(Sts, ReadsAFolderInTheOrderOfNames) {
  const TempFolder folder;
  folder.write("b.tsv", "1\tx\ty\n");
  folder.write("a.tsv", "2\tx\ty\n");
  folder.write("notes.txt", "not data");
  const std::vector<StsSubset> subsets = read_sts(folder.path());
  ASSERT_EQ(subsets.size(), 2u);
  EXPECT_EQ(subsets[0].name + subsets[1].name, "ab");
}

TEST(Sts, ErrorsNameFileAndLine) {
  const TempFolder folder;
  const auto error = [&](const std::string& bytes) { return error_of([&] { read_sts(folder.write("x.tsv", bytes)); }); };
  for (const char* score : {"high", "4,5", "nan", "inf", "1e999", " 3", "0x10"}) {
    const Error bad = error(std::string("1\ta\tb\n") + score + "\ta\tb\n");
    EXPECT_EQ(bad.status(), Status::kFormat) << score;
    EXPECT_THAT(bad.message(), HasSubstr("x.tsv:2")) << score;
    EXPECT_THAT(bad.message(), HasSubstr(score));
  }
  EXPECT_THAT(error("1\ta\tb\n2\ta\n").message(), HasSubstr("x.tsv:2: 2 tab separated columns, expected 3"));
  EXPECT_THAT(error("1\ta\tb\tc\n").message(), HasSubstr("x.tsv:1: 4 tab"));
  EXPECT_EQ(error("").status(), Status::kFormat);
  EXPECT_EQ(error("\n\n").status(), Status::kFormat);
  EXPECT_THAT(error("\ta\tb\n").message(), HasSubstr("none of its pairs has a score"));
  EXPECT_EQ(error_of([&] { read_sts(folder.path() + "/absent.tsv"); }).status(), Status::kNotFound);
  const TempFolder empty;
  EXPECT_EQ(error_of([&] { read_sts(empty.path()); }).status(), Status::kNotFound);
}

TEST(Sts, EncodesEachDistinctTextOnce) {
  StsSubset subset{"s", {5, 4, 1, 0}, {"abc", "abc", "xyz", "abc"}, {"abc", "abd", "abc", "uvw"}, 0};
  LetterEncoder letters;
  const StsReport report = evaluate_sts({subset, subset}, letters.encoder(), retrieval::Metric::kCosine);
  EXPECT_EQ(letters.encoded, 4);
  // Cosines 1, 2/3, 0, 0 against 5, 4, 1, 0: ranks 4, 3, 1.5, 1.5 against 4, 3, 2, 1.
  EXPECT_NEAR(report.mean.spearman, 4.5 / std::sqrt(5.0 * 4.5), 1e-12);
  EXPECT_EQ(report.subsets[0].pairs, 4);
  const StsReport distance = evaluate_sts({subset}, letters.encoder(), retrieval::Metric::kEuclidean);
  EXPECT_GT(distance.all.spearman, 0.9) << "a distance must be turned: near is alike";
}

}  // namespace
}  // namespace contrastive::eval
