#include <gmock/gmock.h>

#include <cmath>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

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
  expect_refused(Status::kFormat, "n.jsonl:1", folder / "n.jsonl");
  expect_refused(Status::kFormat, "'z' is missing", folder / "n.jsonl",
                 R"({"data.columns": ["q", "z"]})");
  expect_refused(Status::kFormat, "d2.jsonl:2",
                 folder.write("d2.jsonl", "{\"text\": \"a\"}\n{\"text\": \"unterminated\n"));
  expect_refused(Status::kLimit, "deep.jsonl:2",
                 folder.write("deep.jsonl",
                              "{\"text\": \"a\"}\n{\"text\": " + std::string(1000, '[') + "\n"));
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
  expect_refused(Status::kFormat, "list of strings",
                 folder.write("bad.jsonl", "{\"a\": \"a\", \"b\": \"b\", \"negative\": 5}\n"));
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
  expect_refused(Status::kFormat, "empty list",
                 folder.write("e.jsonl",
                              "{\"query\": \"q\", \"documents\": [], \"labels\": []}\n"));
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
  expect_refused(Status::kFormat,
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
  expect_refused(Status::kFormat, "m.jsonl:2: data.columns must say", mixed);
  expect_refused(Status::kFormat, "is a list or an object",
                 folder.write("l.jsonl", "{\"text\": \"x\", \"tags\": [\"a\"]}\n"),
                 R"({"data.where": "tags=a"})");
}

}  // namespace
}  // namespace contrastive::data
