#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

using ::testing::HasSubstr;

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

TEST(Dataset, ReadsHardNegativesFromTsv) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tsv", "a\tb\tc\td\ne\tf\t\tg\n");
  const auto data = open(path, R"({"data.columns": [0, 1], "data.negatives": [3, 2]})");
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->get(0).b, "b");
  EXPECT_THAT(data->get(0).negatives, ::testing::ElementsAre("c", "d"));
  // An empty column does not count.
  EXPECT_THAT(data->get(1).negatives, ::testing::ElementsAre("g"));
  const auto named = open(folder.write("h.tsv", "negative\tpositive\tanchor\nn\tp\ta\n"),
                          R"({"data.header": true})");
  EXPECT_EQ(named->get(0).a, "a");
  EXPECT_EQ(named->get(0).b, "p");
  EXPECT_THAT(named->get(0).negatives, ::testing::ElementsAre("n"));
  const auto mined =
      open(folder.write("m.tsv", "anchor\tpositive\tnegative_1\tnegative_2\nq\tp\tn\tm\n"),
           R"({"data.header": true})");
  EXPECT_THAT(mined->get(0).negatives, ::testing::ElementsAre("n", "m"));
  expect_refused(Status::kFormat,
                 "The columns are text, text, label; data.columns = 1,2,0 reads label, text, text",
                 folder.write("three.tsv", "a\tb\tc\n"));
  expect_refused(Status::kFormat, "columns", path,
                 R"({"data.columns": [0, 1], "data.negatives": [4]})");
  expect_refused(Status::kArgument, "needs a text b", path,
                 R"({"data.columns": [0], "data.negatives": [1]})");
  expect_refused(Status::kArgument, "data.negatives", folder.write("t.txt", "one\n"),
                 R"({"data.negatives": [1]})");
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
  expect_refused(Status::kFormat, "5 left out by data.where (split=valid)", path,
                 R"({"data.where": "split=valid"})");
  expect_refused(
      Status::kFormat,
      "AllNLI.tsv:1: config key 'data.where': unknown column 'splt'; did you mean 'split'", path,
      R"({"data.where": "splt=train"})");
  expect_refused(Status::kArgument, "COLUMN=VALUE", path, R"({"data.where": "split"})");
  expect_refused(Status::kArgument, "data.where", path,
                 R"({"data.where": "split=train", "data.format": "text"})");
  expect_refused(Status::kArgument, "data.where", folder.write("t.txt", "one\n"),
                 R"({"data.where": "0=one"})");
  expect_refused(Status::kArgument, "alternatives repeat the column", path,
                 R"({"data.where": "split=train,dev"})");
  EXPECT_EQ(open(path, cat(R"({"data.where": ["0=train", "split=Train"], )", names, "}"))->size(),
            3);  // one column by two names
  // The column of a condition is not a text, because the other columns are not configured.
  expect_refused(Status::kFormat, "data.columns must say",
                 folder.write("o.tsv", "split\tquestion\ntrain\ta\n"),
                 R"({"data.where": "split=train"})");
  EXPECT_EQ(open(folder.write("o.tsv", "split\ttext\ntrain\ta\n"),
                 R"({"data.where": "split=train"})")
                ->get(0)
                .a,
            "a");
  const std::string plain = folder.write("p.tsv", "a\tb\ttrain\nc\td\tdev\nshort\n");
  expect_refused(Status::kFormat, "p.tsv:3: 1 columns where 3", plain,
                 R"({"data.columns": [0, 1], "data.where": "2=train"})");
  EXPECT_EQ(open(plain,
                 R"({"data.columns": [0, 1], "data.where": "2=train", "data.on_error": "skip"})")
                ->size(),
            1);
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
  expect_refused(Status::kFormat, "data.header = true skips a header",
                 folder.write("s.tsv", "a\tb\tgold\n"));
}

}  // namespace
}  // namespace contrastive::data
