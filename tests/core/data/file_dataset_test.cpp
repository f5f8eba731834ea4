#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/temporary_folder.h"
#include "tests/expect_error.h"

namespace contrastive::data {
namespace {

using ::testing::HasSubstr;

TEST(Dataset, ReadsTextOneALine) {
  const TemporaryFolder folder;
  const auto data = open(folder.write("t.txt", "first\r\n\n  second \nthird"));
  ASSERT_EQ(data->size(), 3);
  EXPECT_EQ(data->get(1).a, "  second ");
  EXPECT_FALSE(data->get(1).has_b);
  EXPECT_TRUE(std::isnan(data->get(2).label));
  EXPECT_EQ(data->report().empty, 1);
  expect_error(Status::kArgument, "example 3 of a dataset of 3", [&] { data->get(3); });
  expect_error(Status::kState, "t.txt: a dataset that was opened from a file takes",
               [&] { data->add({}); });
}

TEST(Dataset, NamesFileAndLineOfWhatIsMalformed) {
  const TemporaryFolder folder;
  expect_refused(Status::kFormat, "few.tsv:2: 1 columns", folder.write("few.tsv", "a\tb\nonly\n"));
  expect_refused(Status::kFormat, "many.tsv:2: 3 columns",
                 folder.write("many.tsv", "a\tb\na\tb\tc\n"));
  expect_refused(Status::kFormat,
                 "wide.tsv:1: ", folder.write("wide.tsv", std::string(1000000, '\t') + "\n"));
  expect_refused(Status::kFormat, "label.tsv:1", folder.write("label.tsv", "a\tb\tfive\n"));
  expect_refused(Status::kFormat, "nul.txt:1", folder.write("nul.txt", std::string("a\0b\n", 4)));
  expect_refused(Status::kFormat, "bad.txt:1", folder.write("bad.txt", "\xff\n"),
                 R"({"data.invalid_utf8": "error"})");
  expect_refused(Status::kCorrupt, "gzip", folder.write("data.tsv", "\x1f\x8b"));
  expect_refused(Status::kFormat, "no examples", folder.write("empty.txt", ""));
  expect_refused(Status::kNotFound, "absent", folder / "absent");
  expect_refused(Status::kArgument, "did you mean 'data.format'", folder / "few.tsv",
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
  expect_error(Status::kCorrupt, "c.tsv: the line at byte 4 changed since the file",
               [&] { data->get(1); });
  folder.write("c.tsv", "a\tb\nc\td\ne\tf\n");
  expect_error(Status::kCorrupt, "c.tsv: had 8 bytes when it was opened and has 12 now",
               [&] { data->check_unchanged(); });
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

}  // namespace
}  // namespace contrastive::data
