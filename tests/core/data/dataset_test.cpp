#include "core/data/dataset.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::data {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Dataset> open(const std::string& path, const std::string& json = "{}") {
  return open_dataset(path, Config::parse(json));
}

void expect_error(Status status, const std::string& part, const std::string& path,
                  const std::string& json = "{}") {
  try {
    open(path, json);
    FAIL() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_THAT(error.message(), HasSubstr(part));
  }
}

TEST(Dataset, ReadsTextOneALine) {
  const TemporaryFolder folder;
  const auto data = open(folder.write("t.txt", "first\r\n\n  second \nthird"));
  ASSERT_EQ(data->size(), 3);
  EXPECT_EQ(data->get(1).a, "  second ");
  EXPECT_FALSE(data->get(1).has_b);
  EXPECT_TRUE(std::isnan(data->get(2).label));
  EXPECT_EQ(data->report().empty, 1);
  EXPECT_THROW(data->get(3), Error);
  EXPECT_THROW(data->add({}), Error);
}

TEST(Dataset, ReadsTabSeparatedPairsAndLabels) {
  const TemporaryFolder folder;
  const auto pairs = open(folder.write("p.tsv", "a one\tb \"one\"\na two\tb two\n"));
  ASSERT_EQ(pairs->size(), 2);
  EXPECT_EQ(pairs->get(0).b, "b \"one\"");  // quotes are ordinary characters
  EXPECT_TRUE(pairs->get(0).has_b);
  const auto scored = open(folder.write("s.tsv", "a\tb\t4.5\nc\td\t-1\n"));
  EXPECT_DOUBLE_EQ(scored->get(0).label, 4.5);
  EXPECT_DOUBLE_EQ(scored->get(1).label, -1);
  const auto by_number =
      open(folder.write("n.tsv", "5\tx\tb\ta\textra\n"), R"({"data.columns": [3, 2, 0]})");
  EXPECT_EQ(by_number->get(0).a, "a");
  EXPECT_DOUBLE_EQ(by_number->get(0).label, 5);
  const auto by_name =
      open(folder.write("h.tsv", "gold_label\tsentence1\tsentence2\nneutral\tx\ty\n-\tv\tw\n"),
           R"({"data.columns": "sentence1,sentence2,gold_label", "data.on_error": "skip",
                                "data.label_names": "contradiction,entailment,neutral"})");
  ASSERT_EQ(by_name->size(), 1);
  EXPECT_DOUBLE_EQ(by_name->get(0).label, 2);
  EXPECT_EQ(by_name->report().malformed, 1);
}

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

TEST(Dataset, ReadsJsonLines) {
  const TemporaryFolder folder;
  const auto data =
      open(folder.write("d.jsonl", R"({"sentence1": "caf\u00e9", "sentence2": "b", "score": 3})"
                                   "\n"
                                   R"({"sentence1": "c", "sentence2": "d", "score": "2.5"})"));
  EXPECT_EQ(data->get(0).a, "caf\xc3\xa9");
  EXPECT_DOUBLE_EQ(data->get(1).label, 2.5);
  const auto named = open(folder.write("n.jsonl", "{\"q\": \"a\", \"d\": \"b\"}\n"),
                          R"({"data.columns": ["q", "d"]})");
  EXPECT_EQ(named->get(0).b, "b");
  expect_error(Status::kFormat, "n.jsonl:1", folder / "n.jsonl");
  expect_error(Status::kFormat, "'z' is missing", folder / "n.jsonl",
               R"({"data.columns": ["q", "z"]})");
  expect_error(Status::kFormat, "d2.jsonl:2",
               folder.write("d2.jsonl", "{\"text\": \"a\"}\n{\"text\": \"unterminated\n"));
  expect_error(Status::kLimit, "deep.jsonl:2",
               folder.write("deep.jsonl",
                            "{\"text\": \"a\"}\n{\"text\": " + std::string(1000, '[') + "\n"));
}

TEST(Dataset, RefusesKeysOfColumnsWhereALineIsAText) {
  const TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "one\ntwo\n"),
                    json = folder.write("j.jsonl", "{\"text\": \"a\"}\n");
  expect_error(Status::kArgument,
               "t.txt: config key 'data.header' is set, but the lines have no columns", text,
               R"({"data.header": true})");
  expect_error(Status::kArgument,
               "t.txt: config key 'data.label_names' is set, but the lines have no columns", text,
               R"({"data.label_names": ["yes", "no"]})");
  expect_error(Status::kArgument, "'data.label_names' does not go with data.format = text", text,
               R"({"data.format": "text", "data.label_names": ["yes", "no"]})");
  expect_error(Status::kArgument,
               "j.jsonl: config key 'data.header' is set, but the lines are JSON objects", json,
               R"({"data.header": true})");
  EXPECT_EQ(open(text, R"({"data.format": "tsv", "data.header": true})")->size(), 1)
      << "one column with a header, if the format is set";
}

TEST(Dataset, ReadsHardNegativesFromTsv) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tsv", "a\tb\tc\td\ne\tf\t\tg\n");
  const auto data = open(path, R"({"data.columns": [0, 1], "data.negatives": [3, 2]})");
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->get(0).b, "b");
  EXPECT_THAT(data->get(0).negatives, ::testing::ElementsAre("c", "d"));
  EXPECT_THAT(data->get(1).negatives, ::testing::ElementsAre("g"));  // an empty column does not
                                                                     // count
  const auto named = open(folder.write("h.tsv", "negative\tpositive\tanchor\nn\tp\ta\n"),
                          R"({"data.header": true})");
  EXPECT_EQ(named->get(0).a, "a");
  EXPECT_EQ(named->get(0).b, "p");
  EXPECT_THAT(named->get(0).negatives, ::testing::ElementsAre("n"));
  const auto mined =
      open(folder.write("m.tsv", "anchor\tpositive\tnegative_1\tnegative_2\nq\tp\tn\tm\n"),
           R"({"data.header": true})");
  EXPECT_THAT(mined->get(0).negatives, ::testing::ElementsAre("n", "m"));
  expect_error(Status::kFormat,
               "The columns are text, text, label; data.columns = 1,2,0 reads label, text, text",
               folder.write("three.tsv", "a\tb\tc\n"));
  expect_error(Status::kFormat, "columns", path,
               R"({"data.columns": [0, 1], "data.negatives": [4]})");
  expect_error(Status::kArgument, "needs a text b", path,
               R"({"data.columns": [0], "data.negatives": [1]})");
  expect_error(Status::kArgument, "data.negatives", folder.write("t.txt", "one\n"),
               R"({"data.negatives": [1]})");
}

TEST(Dataset, ReadsHardNegativesFromJson) {
  const TemporaryFolder folder;
  const auto data = open(
      folder.write("n.jsonl",
                   "{\"anchor\": \"a\", \"positive\": \"b\", \"negatives\": [\"c\", \"\", \"d\"]}\n"
                   "{\"anchor\": \"e\", \"positive\": \"f\", \"negatives\": \"g\"}\n"));
  EXPECT_THAT(data->get(0).negatives, ::testing::ElementsAre("c", "d"));
  EXPECT_THAT(data->get(1).negatives, ::testing::ElementsAre("g"));
  const auto named =
      open(folder.write("m.jsonl", "{\"q\": \"a\", \"d\": \"b\", \"x\": \"c\", \"y\": \"d\"}\n"),
           R"({"data.columns": ["q", "d"], "data.negatives": ["x", "y"]})");
  EXPECT_THAT(named->get(0).negatives, ::testing::ElementsAre("c", "d"));
  const auto mined = open(folder.write(
      "t.jsonl",
      "{\"anchor\": \"a\", \"positive\": \"b\", \"negative_1\": \"c\", \"negative_2\": \"d\"}\n"));
  EXPECT_THAT(mined->get(0).negatives, ::testing::ElementsAre("c", "d"));
  expect_error(Status::kFormat, "list of strings",
               folder.write("bad.jsonl", "{\"a\": \"a\", \"b\": \"b\", \"negative\": 5}\n"));
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
  expect_error(Status::kFormat, "the score 'b' of data.scores is not a number", path,
               R"({"data.columns": ["anchor", "positive"], "data.scores": ["positive"]})");
  expect_error(Status::kArgument, "'data.scores' needs a text b", path,
               R"({"data.columns": ["anchor"], "data.scores": ["score_1"]})");
  expect_error(Status::kArgument, "data.scores", folder.write("t.txt", "one\n"),
               R"({"data.scores": [1]})");
  expect_error(Status::kFormat, "neither a number nor a list of numbers",
               folder.write("w.jsonl", "{\"q\": \"a\", \"d\": \"b\", \"s\": [\"x\"]}\n"),
               R"({"data.columns": ["q", "d"], "data.scores": ["s"]})");
}

TEST(Dataset, AFirstLineThatIsNoTextIsLeftOutLikeAnyOther) {
  const TemporaryFolder folder;
  const std::string path = folder.write("nul.tsv", std::string("a\0b\tc\n", 6) + "one\ttwo\n");
  expect_error(Status::kFormat, "nul.tsv:1: a NUL character", path);
  const auto kept = open(path, R"({"data.on_error": "skip"})");
  EXPECT_EQ(kept->size(), 1);
  EXPECT_EQ(kept->get(0).b, "two");
  EXPECT_EQ(kept->report().malformed, 1);
}

TEST(Dataset, ReadsListsOfDocuments) {
  using ::testing::ElementsAre;
  const TemporaryFolder folder;
  const auto lists = open(folder.write(
      "l.jsonl",
      "{\"anchor\": \"q\", \"documents\": [\"b\", \"c\", \"d\"], \"labels\": [1, 0, 2]}\n"));
  const Example example = lists->get(0);
  EXPECT_EQ(example.b, "b");
  EXPECT_THAT(example.negatives, ElementsAre("c", "d"));
  EXPECT_THAT(example.scores, ElementsAre(1, 0, 2));
  EXPECT_TRUE(std::isnan(example.label));
  const auto scored = open(
      folder.write("s.jsonl", "{\"query\": \"q\", \"documents\": [\"b\"], \"scores\": [0.5]}\n"));
  EXPECT_THAT(scored->get(0).scores, ElementsAre(0.5));
  expect_error(Status::kFormat, "empty list",
               folder.write("e.jsonl", "{\"query\": \"q\", \"documents\": [], \"labels\": []}\n"));
}

TEST(Dataset, KeepsPairsByLabel) {
  const TemporaryFolder folder;
  const std::string path = folder.write("sts.tsv", "a\tb\t4\nc\td\t3.99\ne\tf\t5\n");
  const auto data = open(path, R"({"data.min_label": 4})");
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->get(1).a, "e");
  EXPECT_EQ(data->report().filtered, 1);
  expect_error(Status::kFormat, "0 left out by data.where, 3 by data.min_label", path,
               R"({"data.min_label": 6})");
}

TEST(Dataset, LabelNamesNeedALabel) {
  const TemporaryFolder folder;
  const char* names = R"({"data.label_names": "no,yes"})";
  expect_error(Status::kArgument, "'data.label_names' is set, but no column",
               folder.write("p.tsv", "a\tb\n"), names);
  expect_error(Status::kArgument, "'data.label_names' is set, but no member",
               folder.write("p.jsonl", "{\"a\": \"x\", \"b\": \"y\"}\n"), names);
  expect_error(Status::kArgument, "no member is the label", folder / "p.jsonl",
               R"({"data.columns": "a,b", "data.label_names": "no,yes"})");
  EXPECT_EQ(open(folder.write("s.tsv", "a\tb\tyes\n"), names)->get(0).label, 1);
}

// AllNLI.tsv.gz has all splits in one file.
TEST(Dataset, KeepsTheLinesOfASplit) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "AllNLI.tsv",
      "split\tdataset\tfilename\tsentence1\tsentence2\tlabel\n"
      "train\tSNLI\tx\ta\tb\tneutral\ndev\tSNLI\tx\tc\td\t-\ntrain\tMNLI\tx\te\tf\tentailment\n"
      "test\tSNLI\tx\t\th\tneutral\nTrain\tSNLI\tx\ti\tj\tneutral\n");
  const char* names = R"("data.label_names": "contradiction,entailment,neutral")";
  const auto data = open(path, cat(R"({"data.where": "split=train", )", names, "}"));
  ASSERT_EQ(data->size(), 2);  // the labels and texts of lines that are left out do not matter, and
                               // the name shows that there is a header
  EXPECT_EQ(data->get(0).b, "b");
  EXPECT_DOUBLE_EQ(data->get(1).label, 1);
  EXPECT_EQ(data->report().elsewhere, 3);
  EXPECT_EQ(data->report().empty, 0);
  const auto entailed =
      open(path, cat(R"({"data.where": ["split=train", "label=entailment"], )", names, "}"));
  ASSERT_EQ(entailed->size(), 1);
  EXPECT_EQ(entailed->get(0).a, "e");
  EXPECT_EQ(
      open(path, cat(R"({"data.where": ["split=train", "split=Train"], )", names, "}"))->size(), 3);
  const auto first =
      open(path, cat(R"({"data.where": ["split=train", "dataset=SNLI"], )", names, "}"));
  EXPECT_EQ(first->size(), 1);
  EXPECT_NE(first->fingerprint(), entailed->fingerprint());
  expect_error(Status::kFormat, "5 left out by data.where (split=valid)", path,
               R"({"data.where": "split=valid"})");
  expect_error(Status::kFormat,
               "AllNLI.tsv:1: config key 'data.where': unknown column 'splt'; did you mean 'split'",
               path, R"({"data.where": "splt=train"})");
  expect_error(Status::kArgument, "COLUMN=VALUE", path, R"({"data.where": "split"})");
  expect_error(Status::kArgument, "data.where", path,
               R"({"data.where": "split=train", "data.format": "text"})");
  expect_error(Status::kArgument, "data.where", folder.write("t.txt", "one\n"),
               R"({"data.where": "0=one"})");
  expect_error(Status::kArgument, "alternatives repeat the column", path,
               R"({"data.where": "split=train,dev"})");
  EXPECT_EQ(open(path, cat(R"({"data.where": ["0=train", "split=Train"], )", names, "}"))->size(),
            3);  // one column by two names
  // The column of a condition is not a text, because the other columns are not configured.
  expect_error(Status::kFormat, "data.columns must say",
               folder.write("o.tsv", "split\tquestion\ntrain\ta\n"),
               R"({"data.where": "split=train"})");
  EXPECT_EQ(open(folder.write("o.tsv", "split\ttext\ntrain\ta\n"),
                 R"({"data.where": "split=train"})")
                ->get(0)
                .a,
            "a");
  const std::string plain = folder.write("p.tsv", "a\tb\ttrain\nc\td\tdev\nshort\n");
  expect_error(Status::kFormat, "p.tsv:3: 1 columns where 3", plain,
               R"({"data.columns": [0, 1], "data.where": "2=train"})");
  EXPECT_EQ(open(plain,
                 R"({"data.columns": [0, 1], "data.where": "2=train", "data.on_error": "skip"})")
                ->size(),
            1);
}

TEST(Dataset, KeepsTheObjectsOfASplit) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("s.jsonl",
                   "{\"a\": \"x\", \"b\": \"y\", \"split\": \"train\", \"year\": 2012}\n"
                   "{\"a\": 5, \"split\": \"dev\", \"year\": 2012}\n"
                   "{\"a\": \"v\", \"b\": \"w\", \"split\": \"train\", \"year\": 2014}\n");
  EXPECT_EQ(open(path, R"({"data.where": "split=train"})")->size(), 2);
  const auto data = open(path, R"({"data.where": ["split=train", "year=2014"]})");
  ASSERT_EQ(data->size(), 1);
  EXPECT_EQ(data->get(0).b, "w");
  EXPECT_EQ(open(path, R"({"data.where": ["split=train", "year=2012.0"]})")->size(),
            1);  // numbers are compared by value
  expect_error(Status::kFormat,
               "s.jsonl:1: the member 'month' of config key 'data.where' is missing", path,
               R"({"data.where": "month=5"})");
  // The first line that is used determines the members. A line of another split only needs the
  // member of the condition.
  const std::string mixed = folder.write(
      "m.jsonl",
      "\n{\"split\": \"test\"}\n"
      "{\"a\": \"x\", \"b\": \"y\", \"negative\": \"z\", \"split\": \"train\", \"ok\": true}\n");
  const auto second = open(mixed, R"({"data.where": ["split=train", "ok=true"]})");
  ASSERT_EQ(second->size(), 1);
  EXPECT_EQ(second->get(0).negatives.size(), 1u);
  EXPECT_EQ(second->report().elsewhere, 1);
  expect_error(Status::kFormat, "m.jsonl:2: data.columns must say", mixed);
  expect_error(Status::kFormat, "is a list or an object",
               folder.write("l.jsonl", "{\"text\": \"x\", \"tags\": [\"a\"]}\n"),
               R"({"data.where": "tags=a"})");
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
  expect_error(Status::kFormat, "t.txt:2", text, R"({"data.empty": "error"})");
  expect_error(Status::kFormat, "p.tsv:2", pairs, R"({"data.empty": "error"})");
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(Dataset, AFileOfAnySizeTakesEightBytesALine) {
  const TemporaryFolder folder;
  constexpr int64_t kLines = 4000, kWidth = 20'000;  // 80 MB
  {
    std::ofstream file(folder / "large.txt", std::ios::binary);
    for (int64_t i = 0; i < kLines; ++i)
      file << std::string(kWidth - 1, static_cast<char>('a' + i % 26)) << '\n';
  }
  const int64_t before = resident_bytes();
  const auto data = open(folder / "large.txt");
  ASSERT_EQ(data->size(), kLines);
  for (int64_t i = 0; i < kLines; ++i)
    ASSERT_EQ(data->get(i * 1237 % kLines).a[0], 'a' + i * 1237 % kLines % 26);
  EXPECT_LT(resident_bytes() - before, 8 << 20) << "of 80 MB";
}

TEST(Dataset, NamesFileAndLineOfWhatIsMalformed) {
  const TemporaryFolder folder;
  expect_error(Status::kFormat, "few.tsv:2: 1 columns", folder.write("few.tsv", "a\tb\nonly\n"));
  expect_error(Status::kFormat, "many.tsv:2: 3 columns",
               folder.write("many.tsv", "a\tb\na\tb\tc\n"));
  expect_error(Status::kFormat,
               "wide.tsv:1: ", folder.write("wide.tsv", std::string(1000000, '\t') + "\n"));
  expect_error(Status::kFormat, "label.tsv:1", folder.write("label.tsv", "a\tb\tfive\n"));
  expect_error(Status::kFormat, "nul.txt:1", folder.write("nul.txt", std::string("a\0b\n", 4)));
  expect_error(Status::kFormat, "bad.txt:1", folder.write("bad.txt", "\xff\n"),
               R"({"data.invalid_utf8": "error"})");
  expect_error(Status::kCorrupt, "gzip", folder.write("data.tsv", "\x1f\x8b"));
  expect_error(Status::kFormat, "no examples", folder.write("empty.txt", ""));
  expect_error(Status::kNotFound, "absent", folder / "absent");
  expect_error(Status::kArgument, "did you mean 'data.format'", folder / "few.tsv",
               R"({"data.fromat": "tsv"})");
  EXPECT_EQ(open(folder / "few.tsv", R"({"data.on_error": "skip"})")->report().malformed, 1);
  EXPECT_EQ(open(folder / "bad.txt")->report().invalid_utf8, 1);
}

TEST(Dataset, AFileThatIsNoTextIsWarnedOf) {
  const TemporaryFolder folder;
  std::string said;
  set_log_sink([&](LogLevel, const std::string& message) { said += message; }, LogLevel::kWarning);
  open(folder.write("text.tsv", "a line, a tab\tand \u00E9\n\uFFFD\tb\nanother\tc\n"));
  EXPECT_EQ(said, "");
  open(folder.write("latin.txt", "caf\xe9 et th\xe9\n\x01\n"));
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(said, HasSubstr("21.4 % of its 14 bytes are not text"));
}

TEST(Dataset, AFirstLineThatLooksLikeAHeaderIsToldAndRead) {
  const TemporaryFolder folder;
  const std::string pairs = folder.write("h.tsv", "\nanchor\tpositive\na\tb\n"),
                    texts = folder.write("h.txt", "text\nb\n");
  std::string said;
  set_log_sink([&](LogLevel, const std::string& message) { said += message + "\n"; },
               LogLevel::kWarning);
  EXPECT_EQ(open(pairs)->size(), 2);
  EXPECT_EQ(open(texts)->size(), 2);
  const std::string told = std::exchange(said, "");
  EXPECT_FALSE(open(folder.write("t.txt", "a\tb\n"))->get(0).has_b);
  EXPECT_THAT(std::exchange(said, ""), HasSubstr("t.txt:1: read as plain text, as the file's name "
                                                 "says, but this line has columns or is JSON"));
  EXPECT_EQ(open(pairs, R"({"data.header": true})")->size(), 1);
  open(folder.write("plain.tsv", "a query\tpositive\n"));
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(told, HasSubstr("h.tsv:2: the first line looks like a header and is read as an "
                              "example; data.header = true skips it\n"));
  EXPECT_THAT(told, HasSubstr("h.txt:1: the first line looks like a header and is read as an "
                              "example; data.header = true skips it, with data.format = tsv"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("header")));
  EXPECT_THAT(told, ::testing::Not(HasSubstr("plain text")));
  expect_error(Status::kFormat, "data.header = true skips a header",
               folder.write("s.tsv", "a\tb\tgold\n"));
}

TEST(Dataset, FormsThatAreNotReadAreRefusedByName) {
  const TemporaryFolder folder;
  const std::string path = folder.write("s.csv", "text,label\n");
  expect_error(Status::kArgument, "s.csv: a .csv file is not read", path);
  EXPECT_EQ(open(path, R"({"data.format": "text"})")->size(), 1);
}

TEST(Dataset, AnExampleKnowsItsLine) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 3000; ++i)
    lines += i % 3 == 1 ? "\n" : std::string(700, 'a') + "\n";  // more than a block of it
  const auto data = open_dataset(folder.write("t.txt", lines), {});
  EXPECT_EQ(data->where(0), folder / "t.txt" + ":1");
  EXPECT_EQ(data->where(1), folder / "t.txt" + ":3");
  EXPECT_EQ(data->where(1999), folder / "t.txt" + ":3000");
  EXPECT_EQ(make_dataset()->where(4), "example 4");
}

TEST(Dataset, NoticesAChangedFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("c.tsv", "a\tb\nc\td\n");
  const auto data = open(path);
  const std::string before = data->fingerprint();
  folder.write("c.tsv", "a\tb\nc d\n");  // the same length, and line 2 has one column
  EXPECT_NO_THROW(data->check_unchanged());
  EXPECT_THROW(data->get(1), Error);
  folder.write("c.tsv", "a\tb\nc\td\ne\tf\n");
  EXPECT_THROW(data->check_unchanged(), Error);
  folder.write("c.tsv", "a\tb\nc\te\n");
  EXPECT_NE(open(path)->fingerprint(), before);
}

TEST(Dataset, TheFingerprintSeesHowAFileIsRead) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("r.tsv", "a\tb\tc\tlabel\none\ttwo\tthree\t0\nfour\tfive\tsix\t1\n");
  const auto read_as = [&](const std::string& config) { return open(path, config)->fingerprint(); };
  const std::string base = read_as(R"({"data.columns": ["a", "b"]})");
  EXPECT_EQ(base, read_as(R"({"data.columns": ["0", "1"], "data.header": true})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["a", "c"]})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["b", "a"]})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["a"]})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["a", "b", "label"]})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["a", "b"], "data.negatives": ["c"]})"));
  EXPECT_NE(base, read_as(R"({"data.columns": ["a", "b"], "data.scores": ["label"]})"));
  const auto memory = make_dataset();
  memory->add({"one", "two", true});
  memory->add({"four", "five", true});
  EXPECT_EQ(base, memory->fingerprint());
  const auto texts = [&](const std::string& lines) {
    return open(folder.write("e.txt", lines), R"({"data.empty": "keep"})")->fingerprint();
  };
  EXPECT_NE(texts("\na\n"), texts("a\n\n"));
}

TEST(Dataset, InMemoryFingerprintSeesEveryField) {
  const auto make = [](const std::string& a, const std::string& b, bool has_b, double label) {
    const auto data = make_dataset();
    data->add({a, b, has_b, label});
    return data->fingerprint();
  };
  const std::string base = make("ab", "c", true, 1);
  EXPECT_EQ(base, make("ab", "c", true, 1));
  EXPECT_NE(base, make("a", "bc", true, 1));
  EXPECT_NE(base, make("ab", "c", true, 2));
  EXPECT_NE(make("ab", "", true, 1), make("ab", "", false, 1));
  EXPECT_THROW(make("a", "b", true, INFINITY), Error);
}

TEST(Dataset, InMemoryFingerprintSeesNegatives) {
  const auto make = [](std::vector<std::string> negatives) {
    const auto data = make_dataset();
    data->add({"a", "b", true, 1, std::move(negatives)});
    return data->fingerprint();
  };
  EXPECT_NE(make({"cd"}), make({"c", "d"}));
  EXPECT_NE(make({}), make({""}));
  EXPECT_EQ(make({"c", "d"}), make({"c", "d"}));
  EXPECT_THROW(make_dataset()->add({"a", "", false, 1, {"c"}}), Error);
}

TEST(Dataset, InMemoryIsOfPairsOrOfSingleTexts) {
  for (const bool pairs : {true, false}) {
    const auto data = make_dataset();
    data->add({"a", pairs ? "b" : "", pairs});
    const std::string before = data->fingerprint();
    EXPECT_THROW(data->add({"c", pairs ? "" : "d", !pairs}), Error);
    EXPECT_EQ(data->fingerprint(), before);  // a refused example changes nothing
    data->add({"e", pairs ? "f" : "", pairs});
    EXPECT_EQ(data->size(), 2);
  }
}

}  // namespace
}  // namespace contrastive::data
