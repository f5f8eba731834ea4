#include "core/torch/run/dev_set.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

// Vectors in the plane, by the first letter of the text.
eval::TextEncoder table() {
  return {2, [](const std::vector<std::string_view>& texts, float* out) {
            static const std::map<char, std::pair<float, float>> kVectors = {
                {'e', {1, 0}}, {'n', {0, 1}}, {'d', {1, 1}}, {'w', {-1, 0}}, {'E', {2, 0}}};
            for (const auto text : texts) {
              const auto& vector = kVectors.at(text[0]);
              *out++ = vector.first;
              *out++ = vector.second;
            }
          }};
}

TEST(DevSet, ScoresSentencePairsBySpearman) {
  const TemporaryFolder folder;
  const auto dev =
      open_dev_set(folder.write("sts.tsv", "5\te\tE\n3\te\td\n1\te\tn\n0\te\tw\n"), DevTask::kAuto);
  EXPECT_STREQ(dev->measure(), "spearman");
  EXPECT_NEAR(dev->score(table()), 1, 1e-12);
}

TEST(DevSet, ScoresPairsByReciprocalRank) {
  const TemporaryFolder folder;
  // d is nearest to its own second text; e ties with E, which has the same direction; w finds its
  // target after both others.
  const auto dev = open_dev_set(folder.write("pairs.tsv", "d\td\ne\tE\nw\te\n"), DevTask::kAuto);
  EXPECT_STREQ(dev->measure(), "mrr");
  // candidates d, E, e: d -> 1; e -> E and e tie: 1/2; w -> d is ahead, E ties: 1/3.
  EXPECT_NEAR(dev->score(table()), (1 + 0.5 + 1.0 / 3) / 3, 1e-6);
}

TEST(DevSet, CollapsedVectorsScoreAsBadAsCanBe) {
  const TemporaryFolder folder;
  const eval::TextEncoder constant{1, [](const std::vector<std::string_view>& texts, float* out) {
                                     std::fill(out, out + texts.size(), 1.f);
                                   }};
  EXPECT_NEAR(open_dev_set(folder.write("p.tsv", "a\tb\nc\td\n"), DevTask::kPairs)->score(constant),
              0.5, 1e-6);
  EXPECT_TRUE(std::isnan(
      open_dev_set(folder.write("s.tsv", "1\ta\tb\n2\tc\td\n"), DevTask::kSts)->score(constant)));
}

TEST(DevSet, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "absent: the dev file is not there",
               [&] { open_dev_set(folder / "absent", DevTask::kAuto); });
  expect_error(Status::kFormat, "one.tsv:1: a dev file has lines 'score TAB text TAB",
               [&] { open_dev_set(folder.write("one.tsv", "only one column\n"), DevTask::kAuto); });
  expect_error(Status::kFormat, "bad.tsv:1: the columns are score, text, text",
               [&] { open_dev_set(folder.write("bad.tsv", "five\ta\tb\n"), DevTask::kSts); });
}

void refused_file(const std::string& path, const std::string& part) {
  const std::string message =
      expect_error(Status::kFormat, path, [&] { open_dev_set(path, DevTask::kAuto); });
  EXPECT_THAT(message, ::testing::HasSubstr(part));
}

TEST(DevSet, AFileByWhichNothingCanBeChosenIsRefused) {
  const TemporaryFolder folder;
  refused_file(folder.write("constant.tsv", "3\ta\tb\n3\tc\td\n3\te\tf\n"),
               "all 3 pairs have the score 3");
  refused_file(folder.write("one.tsv", "3\ta\tb\n"), "1 scored pairs");
  refused_file(folder.write("pair.tsv", "a\tb\n"), "one second text");
  refused_file(folder.write("same.tsv", "a\tb\nc\tb\n"), "one second text");
  EXPECT_NO_THROW(open_dev_set(folder.write("two.tsv", "3\ta\tb\n4\tc\td\n"), DevTask::kAuto));
}

}  // namespace
}  // namespace contrastive::run
