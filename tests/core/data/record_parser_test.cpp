#include "core/data/record_parser.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

// The numbers of the three labels in ConSERT's classifier of NLI pairs.
TEST(Dataset, LabelsThatAreWordsCountInTheirOrder) {
  const Json numbers =
      read_json_file(fixtures() + "/consert_vectors.json")["nli_classification"]["label2int"];
  ASSERT_EQ(numbers.size(), 3u);
  const TemporaryFolder folder;
  for (const auto& [word, number] : numbers.items()) {
    const auto data = open(folder.write("nli.tsv", "x\ty\t" + word + "\n"),
                           R"({"data.label_names": "contradiction,entailment,neutral"})");
    EXPECT_EQ(data->get(0).label, number.get<double>()) << word;
  }
}

TEST(Dataset, ATeachersScoresStandBesideTheirTexts) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("scored.tsv",
                   "anchor\tpositive\tnegative_1\tscore_1\tscore_2\na\tb\tc\t0.5\t-1\n");
  const auto table = open(
      path,
      R"({"data.columns": ["anchor", "positive"], "data.negatives": ["negative_1"], "data.scores": ["score_1", "score_2"]})");
  EXPECT_THAT(table->get(0).scores, ::testing::ElementsAre(0.5, -1));
  EXPECT_TRUE(open(path, R"({"data.header": true})")->get(0).scores.empty());
  const std::string other = folder.write("other.tsv", "a\tb\tx\ty\t3\t1\t2\n");
  const data::Example turned =
      open(other, R"({"data.columns": [0, 1], "data.negatives": [3, 2], "data.scores": [5, 6, 4]})")
          ->get(0);
  EXPECT_THAT(turned.negatives, ::testing::ElementsAre("x", "y")) << "in the order of the line";
  EXPECT_THAT(turned.scores, ::testing::ElementsAre(1, 2, 3))
      << "in the order of the key, not of the line";
  const auto mined =
      open(folder.write("s.jsonl", "{\"anchor\": \"a\", \"positive\": \"b\", \"negatives\": "
                                   "[\"c\", \"d\"], \"scores\": [3, 2, 1]}\n"));
  EXPECT_TRUE(mined->get(0).scores.empty())
      << "a miner's scores are not labels: they are used only if requested";
  EXPECT_THAT(open(folder.path() + "/s.jsonl", R"({"data.scores": "scores"})")->get(0).scores,
              ::testing::ElementsAre(3, 2, 1));
  const auto named = open(
      folder.write("m.jsonl",
                   "{\"q\": \"a\", \"d\": \"b\", \"x\": \"c\", \"of_d\": 4, \"of_x\": [5]}\n"),
      R"({"data.columns": ["q", "d"], "data.negatives": ["x"], "data.scores": ["of_d", "of_x"]})");
  EXPECT_THAT(named->get(0).scores, ::testing::ElementsAre(4, 5));
  expect_refused(Status::kFormat, "the value 'b' of data.scores is not a number", path,
                 R"({"data.columns": ["anchor", "positive"], "data.scores": ["positive"]})");
  expect_refused(Status::kArgument, "'data.scores' needs a text b", path,
                 R"({"data.columns": ["anchor"], "data.scores": ["score_1"]})");
  expect_refused(Status::kArgument, "data.scores", folder.write("t.txt", "one\n"),
                 R"({"data.scores": [1]})");
  expect_refused(Status::kFormat, "neither a number nor a list of numbers",
                 folder.write("w.jsonl", "{\"q\": \"a\", \"d\": \"b\", \"s\": [\"x\"]}\n"),
                 R"({"data.columns": ["q", "d"], "data.scores": ["s"]})");
}

TEST(Dataset, AFirstLineThatIsNoTextIsLeftOutLikeAnyOther) {
  const TemporaryFolder folder;
  const std::string path = folder.write("nul.tsv", std::string("a\0b\tc\n", 6) + "one\ttwo\n");
  expect_refused(Status::kFormat, "nul.tsv:1: a NUL character", path);
  const auto kept = open(path, R"({"data.on_error": "skip"})");
  EXPECT_EQ(kept->size(), 1);
  EXPECT_EQ(kept->get(0).b, "two");
  EXPECT_EQ(kept->report().malformed, 1);
}

TEST(Dataset, KeepsPairsByLabel) {
  const TemporaryFolder folder;
  const std::string path = folder.write("sts.tsv", "a\tb\t4\nc\td\t3.99\ne\tf\t5\n");
  const auto data = open(path, R"({"data.min_label": 4})");
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->get(1).a, "e");
  EXPECT_EQ(data->report().filtered, 1);
  expect_refused(Status::kFormat, "0 left out by data.where, 3 by data.min_label", path,
                 R"({"data.min_label": 6})");
}

TEST(Dataset, EmptyTextsFollowThePolicy) {
  const TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "one\n\ntwo\n"),
                    pairs = folder.write("p.tsv", "a\tb\n\td\n");
  for (const char* format : {"text", "auto"}) {
    EXPECT_EQ(open(text, cat(R"({"data.empty": "keep", "data.format": ")", format, "\"}"))->size(),
              3);
    const auto leading = open(folder.write("l", "\n\none\n\n"),
                              cat(R"({"data.empty": "keep", "data.format": ")", format, "\"}"));
    ASSERT_EQ(leading->size(), 4);
    EXPECT_EQ(leading->get(1).a, "");
    EXPECT_EQ(leading->get(2).a, "one");
  }
  EXPECT_EQ(open(folder.write("l", "\na\tb\n\n"), R"({"data.empty": "keep"})")->size(), 1)
      << "an empty line is not a pair";
  EXPECT_EQ(open(pairs)->size(), 1);
  EXPECT_EQ(open(pairs, R"({"data.empty": "keep"})")->size(), 2);
  const auto left_out = [](const std::shared_ptr<Dataset>& data) {
    return data->report().empty_left_out();
  };
  EXPECT_EQ(left_out(open(text)), 1);
  EXPECT_EQ(left_out(open(text, R"({"data.empty": "keep"})")), 0);
  EXPECT_EQ(left_out(open(folder.write("l", "\n\none\n\n"), R"({"data.empty": "keep"})")), 0)
      << "empty lines before the first text are kept too";
  EXPECT_EQ(left_out(open(pairs)), 1);
  EXPECT_EQ(left_out(open(pairs, R"({"data.empty": "keep"})")), 0);
  EXPECT_EQ(left_out(open(folder.write("m.tsv", "a\tb\n\n\td\n"), R"({"data.empty": "keep"})")), 1)
      << "an empty line is not a pair";
  expect_refused(Status::kFormat, "t.txt:2", text, R"({"data.empty": "error"})");
  expect_refused(Status::kFormat, "p.tsv:2", pairs, R"({"data.empty": "error"})");
}

}  // namespace
}  // namespace contrastive::data
