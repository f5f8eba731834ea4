#include "core/data/data_options.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

TEST(Dataset, RefusesKeysOfColumnsWhereALineIsAText) {
  const TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "one\ntwo\n"),
                    json = folder.write("j.jsonl", "{\"text\": \"a\"}\n");
  expect_refused(Status::kArgument,
                 "t.txt: config key 'data.header' is set, but the lines have no columns", text,
                 R"({"data.header": true})");
  expect_refused(Status::kArgument,
                 "t.txt: config key 'data.label_names' is set, but the lines have no columns", text,
                 R"({"data.label_names": ["yes", "no"]})");
  expect_refused(Status::kArgument, "'data.label_names' does not go with data.format = text", text,
                 R"({"data.format": "text", "data.label_names": ["yes", "no"]})");
  expect_refused(Status::kArgument,
                 "j.jsonl: config key 'data.header' is set, but the lines are JSON objects", json,
                 R"({"data.header": true})");
  EXPECT_EQ(open(text, R"({"data.format": "tsv", "data.header": true})")->size(), 1)
      << "one column with a header, if the format is set";
}

TEST(Dataset, LabelNamesNeedALabel) {
  const TemporaryFolder folder;
  const char* names = R"({"data.label_names": "no,yes"})";
  expect_refused(Status::kArgument, "'data.label_names' is set, but no column",
                 folder.write("p.tsv", "a\tb\n"), names);
  expect_refused(Status::kArgument, "'data.label_names' is set, but no member",
                 folder.write("p.jsonl", "{\"a\": \"x\", \"b\": \"y\"}\n"), names);
  expect_refused(Status::kArgument, "no member is the label", folder / "p.jsonl",
                 R"({"data.columns": "a,b", "data.label_names": "no,yes"})");
  EXPECT_EQ(open(folder.write("s.tsv", "a\tb\tyes\n"), names)->get(0).label, 1);
}

TEST(Dataset, FormsThatAreNotReadAreRefusedByName) {
  const TemporaryFolder folder;
  const std::string path = folder.write("s.csv", "text,label\n");
  expect_refused(Status::kArgument, "s.csv: a .csv file is not read", path);
  EXPECT_EQ(open(path, R"({"data.format": "text"})")->size(), 1);
}

}  // namespace
}  // namespace contrastive::data
