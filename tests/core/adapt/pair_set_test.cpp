#include "core/adapt/pair_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

TEST(PairSet, KeepsEachPairOnceAndCountsTheOthers) {
  const auto data =
      mining::pairs_of({{"a", "b"}, {"a", "c"}, {"a", "b"}, {" ", "b"}, {"A", "b"}, {"b", "a"}});
  data::Example labelled{"x", "y", true, 0.5, {"n"}};
  data->add(labelled);
  const PairSet set = read_pair_set(*data, "pairs", nullptr);
  EXPECT_EQ(set.read, 7);
  EXPECT_EQ(set.empty, 1);
  EXPECT_EQ(set.repeated, 1);
  EXPECT_EQ(set.labelled, 1);
  ASSERT_EQ(set.pairs.size(), 5u);
  EXPECT_EQ(set.pairs[2].anchor, "A");
  EXPECT_EQ(set.pairs[4].negatives, std::vector<std::string>{"n"});
}

TEST(PairSet, CountsTheRowsThatTheFileLeftOut) {
  const TemporaryFolder folder;
  const std::string path = folder.write("pairs.tsv", "a\tb\n\tc\n\nd\t \ne\tf\n");
  const PairSet set = read_pair_set(*data::open_dataset(path, {}), "pairs", nullptr);
  EXPECT_EQ(set.read, 5);
  EXPECT_EQ(set.empty, 3);
  EXPECT_EQ(set.pairs.size(), 2u);
  const PairSet kept =
      read_pair_set(*data::open_dataset(path, Config::parse(R"({"data.empty": "keep"})")), "pairs",
                    nullptr);
  EXPECT_EQ(kept.read, 5) << "a row that the file keeps counts once";
  EXPECT_EQ(kept.empty, 3);
}

TEST(PairSet, PairsWithOneColumnAreRefusedByFileAndLine) {
  const TemporaryFolder folder;
  const auto data = data::open_dataset(folder.write("one.txt", "first\nsecond\n"), {});
  expect_error(Status::kArgument, "one.txt:1: a text without a second one: the pairs must be pairs",
               [&] { read_pair_set(*data, "pairs", nullptr); });
}

TEST(PairSet, WrittenPairsReadBack) {
  const TemporaryFolder folder;
  const std::vector<AdaptPair> pairs = {{"tab\there", "line\nend", {}},
                                        {"\xff broken", "\"quoted\"", {"one", "two"}}};
  write_pairs(folder / "pairs.jsonl", pairs);
  const std::vector<AdaptPair> back = read_pairs_back(folder / "pairs.jsonl");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].anchor, "tab\there");
  EXPECT_EQ(back[0].positive, "line\nend");
  EXPECT_EQ(back[1].anchor, "\xef\xbf\xbd broken");
  EXPECT_EQ(back[1].negatives, (std::vector<std::string>{"one", "two"}));
}

TEST(PairSet, ACancelledCallStops) {
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { read_pair_set(*mining::pairs_of({{"a", "b"}}), "pairs", &cancel); });
}

}  // namespace
}  // namespace contrastive::adapt
