#include "core/eval/geometry/tsne_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/log.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

TEST(TsnePoints, DrawsPairsOfTwoScores) {
  const TemporaryFolder folder;
  std::string lines = "2.5\tneither\tnor\n\tunscored\tpair\n";
  for (int i = 0; i < 30; ++i)
    lines += cat("5.000\thigh ", i, "\tHigh ", i, "\n0\tlow ", i, "\tLow ", i, "\n");
  const std::string path = folder.write("dev.tsv", lines);
  const TsnePoints points = choose_pairs(path, StsSplit::kPreferTest, 5, 0, 20, 1);
  ASSERT_EQ(points.points.size(), 80u);
  std::set<std::string> texts;
  for (size_t i = 0; i < 80; ++i) {
    const TsnePoint& point = points.points[i];
    texts.insert(point.text);
    EXPECT_EQ(point.gold, i < 40 ? 5 : 0);
    EXPECT_EQ(std::string(point.side), i % 2 == 0 ? "a" : "b");
    if (i % 2 == 1) {
      EXPECT_EQ(point.number, points.points[i - 1].number);
    }
    if (i % 40 > 1) {
      EXPECT_GT(point.number, points.points[i - 2].number);  // in the order of the data
    }
  }
  EXPECT_EQ(texts.size(), 80u);  // without repetition
  // Number 2 is the first pair scored 5: the unscored one is not counted.
  const TsnePoint& first = points.points[0];
  EXPECT_EQ(first.text, cat("high ", (first.number - 2) / 2));
  EXPECT_EQ(choose_pairs(path, StsSplit::kPreferTest, 5, 0, 20, 1).points[10].text,
            points.points[10].text);
  std::vector<std::string> one, two;
  for (const TsnePoint& point : points.points) one.push_back(point.text);
  for (const TsnePoint& point : choose_pairs(path, StsSplit::kPreferTest, 5, 0, 20, 2).points)
    two.push_back(point.text);
  EXPECT_NE(one, two);
}

TEST(TsnePoints, FewOrNoPairsOfAScore) {
  const TemporaryFolder folder;
  const std::string path = folder.write("dev.tsv", "5\ta\tb\n4\tc\td\n1\te\tf\n");
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  EXPECT_EQ(choose_pairs(path, StsSplit::kPreferTest, 5, 1, 20, 1).points.size(), 4u);
  set_log_sink({}, LogLevel::kInfo);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0], HasSubstr("only 1 pairs have a score of 5, not 20"));
  expect_error(Status::kNotFound, "no pair has a score of 0; the scores go from 1 to 5",
               [&] { choose_pairs(path, StsSplit::kPreferTest, 5, 0, 1, 1); });
  expect_error(Status::kArgument, "high and low are both 5: two different scores are",
               [&] { choose_pairs(path, StsSplit::kPreferTest, 5, 5, 1, 1); });
}

// The file of sbert.net has the three splits in one.
TEST(TsnePoints, OfTheSplitThatIsAskedFor) {
  const TemporaryFolder folder;
  std::string lines = "split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n";
  for (const char* split : {"train", "dev", "test"}) {
    for (const char* score : {"0", "5"})
      lines += cat(split, "\tg\td\ty\t1\t", score, "\t", split, " one\t", split, " two\n");
  }
  const std::string path = folder.write("stsbenchmark.tsv", lines);
  EXPECT_EQ(choose_pairs(path, StsSplit::kDev, 5, 0, 1, 1).points[0].text, "dev one");
  EXPECT_EQ(choose_pairs(path, StsSplit::kPreferTest, 5, 0, 1, 1).points[0].text, "test one");
}

TEST(TsnePoints, DrawsTextsOfALargeFile) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 1; i <= kMaxTsnePoints + 1000; ++i) lines += cat(i % 3, "\ttext ", i, "\n");
  const std::string path = folder.write("many.tsv", lines);
  expect_error(Status::kLimit, "many.tsv:5001: t-SNE takes at most 5000 texts; set points",
               [&] { read_points(path); });
  const auto numbers = [&](int64_t most, int64_t seed) {
    std::vector<int64_t> found;
    for (const TsnePoint& point : read_points(path, most, seed).points) {
      EXPECT_EQ(point.text, cat("text ", point.number));
      EXPECT_EQ(point.label, cat(point.number % 3));
      found.push_back(point.number);
    }
    return found;
  };
  const std::vector<int64_t> drawn = numbers(200, 1);
  EXPECT_EQ(drawn.size(), 200u);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_GT(drawn.back(), kMaxTsnePoints / 2);
  EXPECT_EQ(numbers(200, 1), drawn);
  EXPECT_NE(numbers(200, 2), drawn);
  EXPECT_EQ(read_points(folder.write("few.txt", "one\ntwo\n"), 200, 1).points.size(), 2u);
  expect_error(Status::kFormat, "bad.tsv:2",
               [&] { read_points(folder.write("bad.tsv", "x\tone\ntwo\n"), 1, 1); });
}

TEST(TsnePoints, ReadsTextsWithOrWithoutLabels) {
  const TemporaryFolder folder;
  const TsnePoints plain = read_points(folder.write("plain.txt", "one\r\n\nthree\n"));
  ASSERT_EQ(plain.points.size(), 3u);
  EXPECT_EQ(plain.points[0].text, "one");
  EXPECT_EQ(plain.points[1].text, "");
  EXPECT_EQ(plain.points[2].number, 3);
  const TsnePoints labelled = read_points(folder.write("labelled.tsv", "x\tone\ny\ttwo\n"));
  EXPECT_EQ(labelled.points[1].label, "y");
  EXPECT_EQ(labelled.points[1].text, "two");
  const auto read = [&](const std::string& text) { read_points(folder.write("bad.tsv", text)); };
  expect_error(Status::kFormat, "bad.tsv:2: 1 tab", [&] { read("x\tone\ntwo\n"); });
  expect_error(Status::kFormat, "bad.tsv:1: 3 tab", [&] { read("x\tone\ttwo\n"); });
  expect_error(Status::kFormat, "bad.tsv: no line in it", [&] { read(""); });
  expect_error(Status::kLimit, "bad.tsv:5001: t-SNE takes at most 5000 texts",
               [&] { read(std::string(kMaxTsnePoints + 1, '\n')); });
}

TEST(TsnePoints, BothFormsOfTheTable) {
  TsnePoints points;
  points.pairs = true;
  points.points = {{7, "a", 5, "", "one"}, {7, "b", 5, "", "two"}};
  const TsneResult places{{0.5, -1.25}, {2, 3}, 0.75, 10};
  EXPECT_EQ(points.to_tsv(places), "7\ta\t5\t0.5\t2\n7\tb\t5\t-1.25\t3\n");
  const Json json = points.to_json(places);
  EXPECT_EQ(json["points"][1],
            (Json{{"pair", 7}, {"side", "b"}, {"gold", 5.0}, {"x", -1.25}, {"y", 3.0}}));
  EXPECT_EQ(json["kl"], 0.75);
  points.pairs = false;
  points.points = {{1, "", 0, "x", "one"}, {2, "", 0, "", "two"}};
  EXPECT_EQ(points.to_tsv(places), "1\tx\t0.5\t2\n2\t\t-1.25\t3\n");
  EXPECT_EQ(points.to_json(places)["points"][0],
            (Json{{"row", 1}, {"label", "x"}, {"x", 0.5}, {"y", 2.0}}));
}

}  // namespace
}  // namespace contrastive::eval
