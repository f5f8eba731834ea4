#include "core/eval/sts/sts_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/base/file.h"
#include "core/eval/sts/sts_files.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StsSubset only(const std::vector<StsSubset>& subsets) {
  EXPECT_EQ(subsets.size(), 1u);
  return subsets.at(0);
}

TEST(StsTable, PlainAsItStands) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("dev.tsv", "\xEF\xBB\xBF"
                              "4.5\ta \"quoted\" text\tb\r\n\n\tnot\tscored\n0\t\tc");
  const StsSubset subset = only(read_sts_table(path, StsSplit::kPreferTest));
  EXPECT_EQ(subset.name, "dev");
  EXPECT_THAT(subset.gold, ElementsAre(4.5, 0));
  EXPECT_THAT(subset.first, ElementsAre("a \"quoted\" text", ""));
  EXPECT_THAT(subset.second, ElementsAre("b", "c"));
  EXPECT_EQ(subset.unscored, 1);
}

TEST(StsTable, TheFirstLineTellsWhereTheScoreIs) {
  const TemporaryFolder folder;
  const StsSubset subset = only(
      read_sts_table(folder.write("train.tsv", "a\tb\t4.5\n7\tc\t0\n"), StsSplit::kPreferTest));
  EXPECT_THAT(subset.gold, ElementsAre(4.5, 0));
  EXPECT_THAT(subset.first, ElementsAre("a", "7"));
  const auto expect_order = [&](const char* lines, const char* order) {
    expect_error(Status::kFormat, order,
                 [&] { read_sts_table(folder.write("x.tsv", lines), StsSplit::kPreferTest); });
  };
  expect_order("a\tb\t1\nc\td\te\n", "x.tsv:2: the columns are text, text, score, as in the first "
                                     "line: the score 'e' is not a number");
  expect_order("gold\ttext\ttext\n1\ta\tb\n", "x.tsv:1: the columns are score, text, text, without "
                                              "a header: the score 'gold' is not a number");
}

TEST(StsTable, StsBenchmark) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("sts-test.csv",
                   "main-captions\tMSRvid\t2012test\t0024\t2.500\tA girl, \"styling\"\tA girl\n"
                   "main-forums\tdeft\t2014\t0025\t5\tx\ty\tlicence\tanother\n");
  const StsSubset subset = only(read_sts_table(path, StsSplit::kPreferTest));
  EXPECT_EQ(subset.name, "sts-test");
  EXPECT_THAT(subset.gold, ElementsAre(2.5, 5));
  EXPECT_THAT(subset.first, ElementsAre("A girl, \"styling\"", "x"));
  EXPECT_THAT(subset.second, ElementsAre("A girl", "y"));
  expect_error(Status::kFormat, "sts-dev.csv:2: 6 tab separated columns, expected 7 or more", [&] {
    read_sts_table(folder.write("sts-dev.csv", "g\tf\ty\ti\t1\ta\tb\ng\tf\ty\ti\t1\ta\n"),
                   StsSplit::kDev);
  });
}

TEST(StsTable, ByHeaderWithASplit) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("stsbenchmark.tsv",
                   "split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n"
                   "train\tg\td\ty\t1\t1.0\ta\tb\n"
                   "test\tg\td\ty\t2\t2.0\t\"c\td\n"
                   "dev\tg\td\ty\t3\t3.0\te\tf\n"
                   "test\tg\td\ty\t4\t4.0\tg\th\n");
  const StsSubset test = only(read_sts_table(path, StsSplit::kPreferTest));
  EXPECT_EQ(test.name, "stsbenchmark");
  EXPECT_THAT(test.gold, ElementsAre(2, 4));
  EXPECT_THAT(test.first, ElementsAre("\"c", "g")) << "a quote is an ordinary character";
  EXPECT_THAT(only(read_sts_table(path, StsSplit::kTrain)).gold, ElementsAre(1));
  const std::vector<StsSubset> all = read_sts_table(path, StsSplit::kAll);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name + " " + all[1].name + " " + all[2].name, "train test dev");
}

std::string write_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  return path;
}

// The benchmark as sentence-transformers publishes it.
TEST(StsTable, PackedByGzip) {
  const TemporaryFolder folder;
  const std::string header = "split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n";
  const std::string packed =
      write_gzip(folder.path() + "/stsbenchmark.tsv.gz",
                 header + "train\tg\td\ty\t1\t1.0\ta\tb\ntest\tg\td\ty\t2\t2.0\tc\td\n");
  const StsSubset test = only(read_sts_table(packed, StsSplit::kPreferTest));
  EXPECT_EQ(test.name, "stsbenchmark");
  EXPECT_THAT(test.gold, ElementsAre(2));
  EXPECT_THAT(test.second, ElementsAre("d"));
  EXPECT_THAT(only(read_sts(folder.path(), StsSplit::kTrain)).first, ElementsAre("a"))
      << "found in its folder";

  const std::string bad =
      write_gzip(folder.path() + "/bad.tsv.gz", header + "test\tg\td\ty\t2\tmuch\tc\td\n");
  expect_error(Status::kFormat, "bad.tsv.gz:2: score 'much' is not a number",
               [&] { read_sts_table(bad, StsSplit::kAll); });
  const std::string commas =
      write_gzip(folder.path() + "/stsb-de.csv.gz", "\"ein \"\"Hund\"\"\",zwei,3.5\n");
  EXPECT_THAT(only(read_sts_table(commas, StsSplit::kAll)).first, ElementsAre("ein \"Hund\""));
  const std::string bytes = read_file(packed, 10000);
  expect_error(Status::kCorrupt, "cut.tsv.gz: the gzip data end in the middle", [&] {
    read_sts_table(folder.write("cut.tsv.gz", bytes.substr(0, bytes.size() / 2)), StsSplit::kAll);
  });
}

TEST(StsTable, GlueAndSick) {
  const TemporaryFolder folder;
  const std::string glue = folder.write(
      "dev.tsv",
      "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
      "0\tmain\tMSRvid\t2012\t1\tnone\tnone\ta\tb\t5.000\n");
  EXPECT_THAT(only(read_sts_table(glue, StsSplit::kPreferTest)).gold, ElementsAre(5));
  const std::string hidden = folder.write("test.tsv", "index\tsentence1\tsentence2\n0\ta\tb\n");
  expect_error(Status::kFormat, "test.tsv:1: the header names no column score",
               [&] { read_sts_table(hidden, StsSplit::kPreferTest); });
  const std::string sick = folder.write("SICK_test_annotated.txt",
                                        "pair_ID\tsentence_A\tsentence_B\trelatedness_"
                                        "score\tentailment_judgment\n6\ta\tb\t3.3\tNEUTRAL\n");
  EXPECT_THAT(only(read_sts_table(sick, StsSplit::kPreferTest)).gold, ElementsAre(3.3));
  const std::string whole = folder.write(
      "SICK.txt",
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
      "1\ta\tb\tNEUTRAL\t4.5\tTRAIN\n2\tc\td\tNEUTRAL\t3.2\tTRIAL\n3\te\tf\tNEUTRAL\t1.1\tTEST\n");
  EXPECT_THAT(only(read_sts_table(whole, StsSplit::kPreferTest)).gold, ElementsAre(1.1));
  EXPECT_THAT(only(read_sts_table(whole, StsSplit::kPreferDev)).gold, ElementsAre(3.2));
  const std::string odd =
      folder.write("odd.tsv", "split\tscore\tsentence1\tsentence2\nmain\t1\ta\tb\n");
  expect_error(Status::kFormat, "odd.tsv:2: split 'main'",
               [&] { read_sts_table(odd, StsSplit::kAll); });
}

TEST(StsTable, MultilingualCsv) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("stsb-de-test.csv", "\"Ein Mann, der \"\"singt\"\".\",Eine Frau,2.5\nx,y,0.0\n");
  const StsSubset subset = only(read_sts_table(path, StsSplit::kPreferTest));
  EXPECT_EQ(subset.name, "stsb-de-test");
  EXPECT_THAT(subset.gold, ElementsAre(2.5, 0));
  EXPECT_EQ(subset.first[0], "Ein Mann, der \"singt\".");
  EXPECT_EQ(only(read_sts_table(folder.write("h.csv",
                                             "sentence1,sentence2,similarity_score\na,b,1\n"),
                                StsSplit::kAll))
                .gold.size(),
            1u);
  expect_error(Status::kFormat, "b.csv:2: score 'c' is not a number",
               [&] { read_sts_table(folder.write("b.csv", "a,b,1\na,b,c\n"), StsSplit::kAll); });
}

TEST(StsTable, ErrorsNameFileAndLine) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    read_sts_table(folder.write("x.tsv", bytes), StsSplit::kPreferTest);
  };
  for (const char* score : {"high", "4,5", "nan", "inf", "1e999", " 3", "0x10"}) {
    SCOPED_TRACE(score);
    const std::string message = expect_error(Status::kFormat, "x.tsv:2", [&] {
      read(std::string("1\ta\tb\n") + score + "\ta\tb\n");
    });
    EXPECT_THAT(message, HasSubstr(score));
  }
  expect_error(Status::kFormat, "x.tsv:2: 2 tab separated columns, expected 3",
               [&] { read("1\ta\tb\n2\ta\n"); });
  expect_error(Status::kFormat, "x.tsv:1: 4 tab", [&] { read("1\ta\tb\tc\n"); });
  expect_error(Status::kFormat, "x.tsv:2: 4 tab separated columns, expected 3",
               [&] { read("score\tsentence1\tsentence2\n2\ta\tb\tc\n"); });
  for (const char* nothing : {"", "\n\n", "score\tsentence1\tsentence2\n"})
    expect_error(Status::kFormat, "x.tsv: no row in it", [&] { read(nothing); });
  expect_error(Status::kFormat, "none of its pairs has a score", [&] { read("\ta\tb\n"); });
}

}  // namespace
}  // namespace contrastive::eval
