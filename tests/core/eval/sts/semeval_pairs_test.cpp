#include "core/eval/sts/semeval_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(SemevalPairs, JoinsSentencesAndScores) {
  const TemporaryFolder folder;
  const std::string input = folder.write("STS.input.surprise.OnWN.txt",
                                         "a \"b\"\tc\nd\te\tsource\tanother\r\nf\t\ng\th\n");
  folder.write("STS.gs.surprise.OnWN.txt", "4.5\n\n0 \r\n3\n");
  const StsSubset subset = read_semeval_pairs(input);
  EXPECT_EQ(subset.name, "surprise.OnWN");
  EXPECT_THAT(subset.gold, ElementsAre(4.5, 0, 3));
  EXPECT_THAT(subset.first, ElementsAre("a \"b\"", "f", "g"));
  EXPECT_THAT(subset.second, ElementsAre("c", "", "h"));
  EXPECT_EQ(subset.unscored, 1);
}

TEST(SemevalPairs, TakesTheFirstTwoFields) {
  const TemporaryFolder folder;
  const std::string input = folder.write("STS2016.input.track1.ar-ar.txt", "a\tb\tMSRvid\t17\n");
  folder.write("STS2016.gs.track1.ar-ar.txt", "1");
  const StsSubset subset = read_semeval_pairs(input);
  EXPECT_EQ(subset.name, "track1.ar-ar");
  EXPECT_THAT(subset.second, ElementsAre("b"));
}

TEST(SemevalPairs, FindsScoresInTheFolderBesideItsOwn) {
  const TemporaryFolder folder;
  for (const char* name : {"eval", "gs", "other-year"})
    std::filesystem::create_directory(folder.path() + "/" + name);
  const std::string input = folder.write("eval/STS.input.images.txt", "a\tb\n");
  // A folder that contains sentences is another year, with other scores.
  folder.write("other-year/STS.input.images.txt", "c\td\n");
  folder.write("other-year/STS.gs.images.txt", "1\n");
  expect_error(Status::kNotFound, "STS.gs.images.txt", [&] { read_semeval_pairs(input); });
  folder.write("gs/STS.gs.images.txt", "2\n");
  EXPECT_THAT(read_semeval_pairs(input).gold, ElementsAre(2));
  folder.write("eval/STS.gs.images.txt", "3\n");
  EXPECT_THAT(read_semeval_pairs(input).gold, ElementsAre(3))
      << "the file in the same folder comes first";
}

TEST(SemevalPairs, ErrorsNameFileLineAndCounts) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& input, const std::string& gold) {
    folder.write("STS.gs.x.txt", gold);
    read_semeval_pairs(folder.write("STS.input.x.txt", input));
  };
  const std::string shifted =
      expect_error(Status::kMismatch, "STS.input.x.txt:3: the first line without a partner: ", [&] {
        read("a\tb\nc\td\ne\tf\n", "1\n2\n");
      });
  EXPECT_THAT(shifted, HasSubstr("STS.gs.x.txt has 2 lines of scores for the 3 lines of"));
  EXPECT_THAT(shifted, HasSubstr("head -n 2 "));
  EXPECT_THAT(shifted, EndsWith("STS.input.x.txt"));
  const std::string scores =
      expect_error(Status::kMismatch, "STS.gs.x.txt:2: the first line without a partner: ", [&] {
        read("a\tb\n", "1\n2\n");
      });
  EXPECT_THAT(scores, HasSubstr("2 lines of scores for the 1 lines"));
  EXPECT_THAT(scores, EndsWith("STS.gs.x.txt"));
  expect_error(Status::kFormat, "STS.input.x.txt:2: one column",
               [&] { read("a\tb\nalone\n", "1\n2\n"); });
  expect_error(Status::kFormat, "STS.gs.x.txt:2: score 'high' is not a number",
               [&] { read("a\tb\nc\td\n", "1\nhigh\n"); });
  expect_error(Status::kFormat, "none of its pairs has a score", [&] { read("a\tb\n", "\n"); });
}

TEST(SemevalPairs, KnowsItsFilesByName) {
  for (const char* name : {"STS.input.MSRpar.txt", "STS2016.input.headlines.txt"})
    EXPECT_TRUE(is_semeval_input(name)) << name;
  for (const char* name : {"STS.gs.MSRpar.txt", "STS.input.MSRpar.txt.gz", "input.txt",
                           "notes.input.x.txt", "STS.output.x.txt"}) {
    EXPECT_FALSE(is_semeval_input(name)) << name;
  }
}

}  // namespace
}  // namespace contrastive::eval
