#include "core/torch/tasks/glue/glue_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

// A header and one row of each task in GLUE's own columns.
struct OwnFile {
  const char* task;
  const char* bytes;
  const char* first;
  const char* second;
  double target;
};
const OwnFile kOwnFiles[] = {
    {"CoLA", "gj04\t1\t\tA \"quoted sentence.\ngj04\t0\t*\tNot good\n", "A \"quoted sentence.",
     nullptr, 1},
    {"SST-2", "sentence\tlabel\nhide new secretions \t0\n", "hide new secretions ", nullptr, 0},
    {"MRPC",
     "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t70\t71\tHe said \"so\tShe "
     "said\r\n",
     "He said \"so", "She said", 1},
    {"STS-B",
     "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
     "0\tmain-captions\tMSRvid\t2012test\t0001\tnone\tnone\tA plane.\tAn air plane.\t4.750\n",
     "A plane.", "An air plane.", 4.75},
    {"QQP", "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\t3\tWhy?\tWhy so?\t1\n",
     "Why?", "Why so?", 1},
    {"MNLI",
     "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_"
     "parse\tsentence2_parse\tsentence1\t"
     "sentence2\tlabel1\tgold_label\n"
     "0\t1\t2\tfiction\t(\t(\t(\t(\tIt rains.\tIt is wet.\tneutral\tentailment\n",
     "It rains.", "It is wet.", 2},
    {"QNLI", "index\tquestion\tsentence\tlabel\n0\tWho?\tHe.\tnot_entailment\n", "Who?", "He.", 0},
    {"RTE", "index\tsentence1\tsentence2\tlabel\n0\tRain.\tWet.\tentailment\n", "Rain.", "Wet.", 1},
    {"WNLI", "index\tsentence1\tsentence2\tlabel\n0\tIt broke.\tThe vase broke.\t1\n", "It broke.",
     "The vase broke.", 1},
};

TEST(GlueFiles, ReadsGluesOwnColumns) {
  const TemporaryFolder folder;
  for (const OwnFile& file : kOwnFiles) {
    SCOPED_TRACE(file.task);
    const GlueSet set =
        read_glue_file(find_glue_definition(file.task), folder.write("train.tsv", file.bytes));
    ASSERT_GE(set.size(), 1);
    EXPECT_EQ(set.first[0], file.first);
    EXPECT_EQ(set.targets[0], file.target);
    ASSERT_EQ(set.second.size(), file.second == nullptr ? 0u : static_cast<size_t>(set.size()));
    if (file.second != nullptr) {
      EXPECT_EQ(set.second[0], file.second);
    }
  }
  EXPECT_EQ(read_glue_file(find_glue_definition("CoLA"), folder.write("x.tsv", kOwnFiles[0].bytes))
                .size(),
            2)
      << "CoLA has no header";
}

TEST(GlueFiles, ReadsPlainLines) {
  const TemporaryFolder folder;
  const GlueSet single = read_glue_file(find_glue_definition("SST-2"),
                                        folder.write("a.tsv", "1\tgood\n0\tbad \"film\n"));
  EXPECT_THAT(single.first, ElementsAre("good", "bad \"film"));
  EXPECT_THAT(single.targets, ElementsAre(1, 0));
  const GlueSet pair =
      read_glue_file(find_glue_definition("MNLI"),
                     folder.write("b.tsv", "neutral\tone\ttwo\ncontradiction\tthree\tfour\n"));
  EXPECT_THAT(pair.second, ElementsAre("two", "four"));
  EXPECT_THAT(pair.targets, ElementsAre(1, 0));
  EXPECT_THAT(
      read_glue_file(find_glue_definition("STS-B"), folder.write("c.tsv", "2.5\ta\tb\n")).targets,
      ElementsAre(2.5));
}

TEST(GlueFiles, LeavesOutShortRowsOfQqpOnly) {
  const TemporaryFolder folder;
  const std::string header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n";
  const GlueSet set =
      read_glue_file(find_glue_definition("QQP"),
                     folder.write("a.tsv",
                                  header + "1\t2\t3\ta\tb\t0\n4\t5\t6\tc\n7\t8\t9\te\tf\t1\n"));
  EXPECT_EQ(set.size(), 2);
  EXPECT_EQ(set.skipped, 1);
  const std::string short_row =
      folder.write("b.tsv", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tentailment\n1\tc\n");
  expect_error(Status::kFormat, "b.tsv:3: 2 tab separated columns",
               [&] { read_glue_file(find_glue_definition("RTE"), short_row); });
}

TEST(GlueFiles, ErrorsNameFileAndLine) {
  const TemporaryFolder folder;
  const auto read = [&](const char* task, const std::string& bytes) {
    read_glue_file(find_glue_definition(task), folder.write("x.tsv", bytes));
  };
  expect_error(Status::kFormat,
               "x.tsv:2: 'maybe' is not a label of RTE (not_entailment, entailment)",
               [&] { read("RTE", "entailment\ta\tb\nmaybe\tc\td\n"); });
  expect_error(Status::kFormat, "x.tsv:3: the score 'four' is not a number",
               [&] { read("STS-B", "1\ta\tb\n\nfour\tc\td\n"); });
  expect_error(Status::kFormat, "x.tsv:3", [&] { read("CoLA", "1\ta\n1\tb\n0\n"); });
  expect_error(Status::kFormat, "no example", [&] { read("SST-2", "sentence\tlabel\n"); });
  expect_error(Status::kFormat, "x.tsv", [&] { read("MRPC", "\n"); });
  expect_error(Status::kFormat, "x.tsv:1: 4 tab separated columns of an example",
               [&] { read("RTE", "0\ta\tb\tentailment\n1\tc\td\tentailment\n"); });
  expect_error(Status::kFormat,
               "x.tsv:1: 4 tab separated columns of an example; a plain line of QQP has 3",
               [&] { read("QQP", "1\ta\tb\tc\n1\tc\td\n"); });
  expect_error(Status::kFormat, "x.tsv:1: 4 tab",
               [&] { read("STS-B", "2.5\ta\tb\tc\n2\tc\td\n"); });
}

class GlueFolder : public testing::Test {
 protected:
  void write(const std::string& task, const std::string& file, int64_t lines) {
    std::filesystem::create_directories(folder_.path() + "/" + task);
    std::string bytes;
    const std::string label = task == "MNLI" ? "neutral" : "1",
                      second = task == "SST2" ? "" : "\tb";
    for (int64_t i = 0; i < lines; ++i)
      bytes += label + "\t" + file + std::to_string(i) + second + "\n";
    folder_.write(task + "/" + file, bytes);
  }
  TemporaryFolder folder_;
};

TEST_F(GlueFolder, SplitsTheDevSetAsSgOptDoes) {
  write("SST2", "train.tsv", 3);
  write("SST2", "val.tsv", 25);
  const GlueDefinition& sst = find_glue_definition("SST-2");
  const GlueData whole = read_glue(sst, folder_.path(), GlueSplit::kDev, 0.1);
  EXPECT_EQ(whole.train.size(), 3);
  EXPECT_EQ(whole.select[0].size(), 25);
  EXPECT_TRUE(whole.same());
  EXPECT_EQ(&whole.reported(), &whole.select);

  const GlueData split = read_glue(sst, folder_.path(), GlueSplit::kSplitDev, 0.1);
  EXPECT_THAT(split.select[0].first, ElementsAre("val.tsv0", "val.tsv1"));
  EXPECT_EQ(split.reported()[0].size(), 23);
  EXPECT_EQ(split.reported()[0].first.front(), "val.tsv2");
  EXPECT_EQ(split.reported()[0].first.back(), "val.tsv24");
  EXPECT_EQ(split.reported()[0].targets.size(), 23u);
  expect_error(Status::kArgument, "config key 'select_part'",
               [&] { read_glue(sst, folder_.path(), GlueSplit::kSplitDev, 0.01); });
}

TEST_F(GlueFolder, TakesMnlisTwoDevSetsAndALabelledTestFile) {
  const GlueDefinition& mnli = find_glue_definition("MNLI");
  write("MNLI", "train.tsv", 2);
  write("MNLI", "dev_matched.tsv", 4);
  expect_error(Status::kNotFound, "dev_mismatched.tsv",
               [&] { read_glue(mnli, folder_.path(), GlueSplit::kDev, 0.1); });
  write("MNLI", "dev_mismatched.tsv", 5);
  EXPECT_EQ(read_glue(mnli, folder_.path(), GlueSplit::kDev, 0.1).select[1].size(), 5);

  write("MRPC", "train.tsv", 2);
  write("MRPC", "dev.tsv", 3);
  write("MRPC", "test.tsv", 6);
  const GlueData tested =
      read_glue(find_glue_definition("MRPC"), folder_.path(), GlueSplit::kTest, 0.1);
  EXPECT_EQ(tested.select[0].size(), 3);
  EXPECT_EQ(tested.reported()[0].size(), 6);
}

TEST_F(GlueFolder, SaysWhatIsMissing) {
  expect_error(Status::kNotFound, "has no folder RTE", [&] {
    read_glue(find_glue_definition("RTE"), folder_.path(), GlueSplit::kDev, 0.1);
  });
  expect_error(Status::kNotFound, "absent is not a folder", [&] {
    read_glue(find_glue_definition("RTE"), folder_.path() + "/absent", GlueSplit::kDev, 0.1);
  });
}

}  // namespace
}  // namespace contrastive::eval
