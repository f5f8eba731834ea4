#include "core/adapt/training_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TrainingRows, GiveEachPairItsNegativesAndKeepThoseWithout) {
  const TemporaryFolder folder;
  const std::string mined =
      folder.write("mined.jsonl", R"({"anchor":"q","positive":"p","negative":"n1"}
{"anchor":"q","positive":"p","negative":"n2"}
{"anchor":"q","positive":"p","negative":"own"}
{"anchor":"q","positive":"other","negative":"n3"}
)");
  const TrainingRows rows =
      write_training_rows(folder / "rows.jsonl",
                          {{"q", "p", {"own"}}, {"qp", "", {}}, {"plain", "pair"}}, mined, nullptr);
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.with_negatives, 1);
  const std::vector<AdaptPair> back = read_pairs_back(folder / "rows.jsonl");
  EXPECT_THAT(back.front().negatives, ElementsAre("own", "n1", "n2"));
  EXPECT_EQ(back.back().anchor, "plain");
  EXPECT_THAT(back.back().negatives, IsEmpty());
}

TEST(TrainingRows, WithoutMiningPairsStayAsTheyCame) {
  const TemporaryFolder folder;
  const TrainingRows rows =
      write_training_rows(folder / "rows.jsonl", {{"q", "p", {"own"}}, {"r", "s"}}, "", nullptr);
  EXPECT_EQ(rows.with_negatives, 1);
  EXPECT_THAT(read_pairs_back(folder / "rows.jsonl")[0].negatives, ElementsAre("own"));
}

}  // namespace
}  // namespace contrastive::adapt
