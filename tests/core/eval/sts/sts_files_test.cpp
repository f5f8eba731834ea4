#include "core/eval/sts/sts_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

// Writes files, given by their paths below the folder.
class StsTree : public TemporaryFolder {
 public:
  void add(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path() + "/" + name).parent_path());
    write(name, bytes);
  }
  void add_semeval(const std::string& stem, const std::string& subset) const {
    add(stem + ".input." + subset + ".txt", "a\tb\nc\td\n");
    add(stem + ".gs." + subset + ".txt", "1\n2\n");
  }
};

const char* const kPairs = "1\tx\ty\n";

std::vector<std::string> names(const std::vector<StsSet>& sets) {
  std::vector<std::string> names;
  for (const StsSet& set : sets) {
    names.push_back(set.name + ":");
    for (const StsSubset& subset : set.subsets) names.back() += " " + subset.name;
  }
  return names;
}

TEST(StsFiles, AFolderOfTablesInTheOrderOfNames) {
  const StsTree tree;
  tree.add("b.tsv", kPairs);
  tree.add("a.tsv", kPairs);
  tree.add("notes.txt", "not data");
  tree.add(".hidden.tsv", "not data");
  const std::vector<StsSubset> subsets = read_sts(tree.path());
  ASSERT_EQ(subsets.size(), 2u);
  EXPECT_EQ(subsets[0].name + subsets[1].name, "ab");
}

TEST(StsFiles, SplitsAreChosenByTheFilesNames) {
  const StsTree tree;
  for (const char* name : {"sts-train.csv", "sts-dev.csv", "sts-test.csv"})
    tree.add(name, "g\tf\ty\ti\t1\ta\tb\n");
  tree.add("readme.txt", "x");
  EXPECT_EQ(read_sts(tree.path())[0].name, "sts-test");
  EXPECT_EQ(read_sts(tree.path(), StsSplit::kPreferDev)[0].name, "sts-dev");
  EXPECT_EQ(read_sts(tree.path(), StsSplit::kTrain)[0].name, "sts-train");
  EXPECT_EQ(read_sts(tree.path(), StsSplit::kAll).size(), 3u);
  EXPECT_EQ(read_sts(tree.path() + "/sts-train.csv")[0].name, "sts-train")
      << "a file given by its path is read";
  tree.add("more.tsv", kPairs);
  EXPECT_EQ(read_sts(tree.path()).size(), 4u) << "not every name tells a split: all are subsets";
}

TEST(StsFiles, SickIsReadWithItsScores) {
  const StsTree tree;
  const std::string header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\n",
                    row = "1\ta\tb\t4\n";
  tree.add("SICK_train.txt", header + row);
  tree.add("SICK_trial.txt", header + row);
  tree.add("SICK_test_annotated.txt", header + row);
  tree.add("SICK_test.txt", "pair_ID\tsentence_A\tsentence_B\n1\ta\tb\n");
  EXPECT_EQ(read_sts(tree.path())[0].name, "SICK_test_annotated");
  EXPECT_EQ(read_sts(tree.path(), StsSplit::kDev)[0].name, "SICK_trial");
}

TEST(StsFiles, SentEvalsFolderIsASuite) {
  const StsTree tree;
  tree.add_semeval("downstream/STS/STS12-en-test/STS", "MSRpar");
  tree.add_semeval("downstream/STS/STS12-en-test/STS", "SMTnews");
  tree.add_semeval("downstream/STS/STS16-en-test/STS2016", "headlines");
  tree.add("downstream/STS/STSBenchmark/sts-dev.csv", "g\tf\ty\ti\t1\ta\tb\n");
  tree.add("downstream/STS/STSBenchmark/sts-test.csv", "g\tf\ty\ti\t1\ta\tb\n");
  tree.add("downstream/SICK/SICK_test_annotated.txt",
           "sentence_A\tsentence_B\trelatedness_score\na\tb\t1\n");
  tree.add("downstream/TREC/TREC_10.label", "not STS");
  const std::vector<std::string> expected = {"SICK: SICK_test_annotated", "STS12: MSRpar SMTnews",
                                             "STS16: headlines", "STSBenchmark: sts-test"};
  EXPECT_EQ(names(read_sts_sets(tree.path() + "/downstream")), expected);
  EXPECT_EQ(names(read_sts_sets(tree.path() + "/downstream/")), expected);
  EXPECT_THAT(names(read_sts_sets(tree.path() + "/downstream/STS/STS12-en-test")),
              ElementsAre("STS12: MSRpar SMTnews"));
  expect_error(Status::kArgument, "SICK, STS12, STS16, STSBenchmark",
               [&] { read_sts(tree.path()); });
}

TEST(StsFiles, TheOriginalsLieOneFolderDeeper) {
  const StsTree tree;
  tree.add_semeval("STS12-en-test/test-gold/STS", "MSRpar");
  tree.add("STS12-en-test/test-gold/STS.gs.ALL.txt", "1\n2\n");
  tree.add_semeval("STS15-en-test/test_evaluation_task2a/STS", "belief");
  tree.add_semeval("sts-es-test.2014/STS", "wikipedia");
  tree.add("STS2017.eval.v1.1/STS.input.track5.en-en.txt", "a\tb\n");
  tree.add("STS2017.gs/STS.gs.track5.en-en.txt", "1\n");
  EXPECT_THAT(names(read_sts_sets(tree.path())),
              ElementsAre("STS12: MSRpar", "STS15: belief", "STS2017.eval.v1.1: track5.en-en",
                          "sts-es-test.2014: wikipedia"));
  EXPECT_THAT(names(read_sts_sets(tree.path() + "/STS12-en-test")),
              ElementsAre("test-gold: MSRpar"));
}

TEST(StsFiles, EqualNamesAreToldApartByTheirPaths) {
  const StsTree tree;
  for (const char* name : {"a/STS/x.tsv", "a/other/x.tsv", "b/STS/x.tsv", "b/other/x.tsv"})
    tree.add(name, kPairs);
  EXPECT_THAT(names(read_sts_sets(tree.path())),
              ElementsAre("STS: x", "other: x", "b/STS: x", "b/other: x"));
}

TEST(StsFiles, EverySubsetHasANameOfItsOwn) {
  const StsTree tree;
  const std::string split = "split\tscore\tsentence1\tsentence2\ntrain\t1\ta\tb\ntest\t2\ta\tb\n";
  tree.add("one/a.tsv", split);
  tree.add("one/b.tsv", split);
  tree.add("two/sts-x.csv", kPairs);
  tree.add("two/sts-x.tsv", kPairs);
  tree.add_semeval("three/STS", "headlines");
  tree.add_semeval("three/STS2016", "headlines");
  EXPECT_THAT(names(read_sts_sets(tree.path(), StsSplit::kAll)),
              ElementsAre("one: train test b.tsv/train b.tsv/test",
                          "three: headlines STS2016.input.headlines.txt", "two: sts-x sts-x.tsv"));
  EXPECT_THAT(names(read_sts_sets(tree.path() + "/one")), ElementsAre("one: a b"));
}

TEST(StsFiles, LinksThatLeadNowhereAreNoData) {
  const StsTree tree;
  tree.add("set/x.tsv", kPairs);
  tree.add("eval/STS.input.images.txt", "a\tb\n");
  tree.add("gs/STS.gs.images.txt", "2\n");
  for (const char* folder : {"", "set/", "eval/"}) {
    std::filesystem::create_symlink("loop", tree.path() + "/" + folder + "loop");
    std::filesystem::create_symlink("absent", tree.path() + "/" + folder + "gone");
  }
  EXPECT_THAT(names(read_sts_sets(tree.path())), ElementsAre("eval: images", "set: x"));
}

TEST(StsFiles, SaysWhatIsMissing) {
  const StsTree tree;
  expect_error(Status::kNotFound, "absent.tsv: no such file or folder",
               [&] { read_sts(tree.path() + "/absent.tsv"); });
  expect_error(Status::kNotFound, "no STS data in it or up to 4 folders down",
               [&] { read_sts(tree.path()); });
  tree.add("train.tsv", kPairs);
  EXPECT_EQ(read_sts(tree.path()).size(), 1u);
  expect_error(Status::kNotFound, "has no split 'test'",
               [&] { read_sts(tree.path(), StsSplit::kTest); });
}

}  // namespace
}  // namespace contrastive::eval
