#include "core/torch/run/pair_dev_set.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

using methods::Gives;

// The score of a pair is the number at the begin of its second text.
PairScorer by_number() {
  return {1, [](const std::vector<model::TextPair>& pairs, float* out) {
            for (const model::TextPair& pair : pairs) *out++ = std::stof(std::string(pair.second));
          }};
}

class PairDev : public ::testing::Test {
 protected:
  double score(const std::string& name, const std::string& text, const char* measure,
               DevTask task = DevTask::kAuto) {
    const auto dev = open_dev_set(folder_.write(name, text), task, Gives::kScores);
    EXPECT_STREQ(dev->measure(), measure);
    return dev->score(by_number());
  }
  TemporaryFolder folder_;
};

TEST_F(PairDev, RanksTheRightDocumentsAmongTheWrongOnes) {
  const double second = 1 / std::log2(3.0);
  EXPECT_NEAR(score("first.tsv", "q\t3 right\t1 wrong\t2 wrong\nr\t1 right\t2 wrong\t0 wrong\n",
                    "ndcg@10"),
              (1 + second) / 2, 1e-12);
  // The lines of a query form one list, a repeated document counts once, and a tie counts against
  // the right document.
  EXPECT_NEAR(score("triplets.jsonl",
                    R"({"anchor": "q", "positive": "2 right", "negative": "2 wrong"}
{"anchor": "q", "positive": "2 right", "negative": "1 wrong"}
)",
                    "ndcg@10"),
              second, 1e-12);
  EXPECT_NEAR(
      score(
          "lists.jsonl",
          R"({"anchor": "q", "documents": ["1 wrong", "5 right", "4 right"], "labels": [0, 1, 1]})"
          "\n",
          "ndcg@10"),
      1, 1e-12);
  EXPECT_NEAR(score("labels.tsv", "q\t2 right\t1\nq\t3 wrong\t0\n", "ndcg@10"), second, 1e-12);
  EXPECT_NEAR(score("mined.tsv", "anchor\tnegative\tpositive\nq\t3 wrong\t1 right\n", "ndcg@10"),
              second, 1e-12);
  // Two right documents, one of them at rank 3: (1 + 1/2) / (1 + 1/log2 3).
  EXPECT_NEAR(score("two.tsv", "q\t5 right\t4 wrong\nq\t3 right\t4 wrong\n", "ndcg@10"),
              1.5 / (1 + second), 1e-12);
}

TEST_F(PairDev, CorrelatesWithScores) {
  EXPECT_NEAR(score("sts.tsv", "5\tq\t3\n1\tq\t1\n3\tr\t2\n", "spearman"), 1, 1e-12);
  EXPECT_NEAR(score("sts.tsv", "1\tq\t3\n5\tq\t1\n3\tr\t2\n", "spearman", DevTask::kSts), -1,
              1e-12);
}

TEST_F(PairDev, FilesOfScoresAreNoRankings) {
  for (const char* text : {"main-captions\tMSRvid\t2012test\t1\t2.5\tq one\ta "
                           "one\nmain-captions\tMSRvid\t2012test\t2\t0.5\tq two\ta two\n",
                           "score\tsentence1\tsentence2\n3\tq one\ta one\n1\tq two\ta two\n"}) {
    EXPECT_STREQ(
        open_dev_set(folder_.write("scored.tsv", text), DevTask::kAuto, Gives::kScores)->measure(),
        "spearman")
        << text;
  }
  EXPECT_STREQ(open_dev_set(folder_.write("ranked.tsv", "e\tright\twrong\n"), DevTask::kAuto,
                            Gives::kScores)
                   ->measure(),
               "ndcg@10");
}

TEST_F(PairDev, CountsTheRightClasses) {
  const auto dev = open_dev_set(folder_.write("classes.tsv", "0\ta\tb\n1\ta\tc\n1\ta\td\n"),
                                DevTask::kAuto, Gives::kClasses);
  EXPECT_STREQ(dev->measure(), "accuracy");
  const PairScorer second{2, [](const std::vector<model::TextPair>& pairs, float* out) {
                            for (size_t i = 0; i < pairs.size(); ++i) *out++ = 0, *out++ = 1;
                          }};
  EXPECT_NEAR(dev->score(second), 2.0 / 3, 1e-12);
}

TEST_F(PairDev, RefusesFilesThatChooseNothing) {
  const auto refused = [&](const std::string& part, const char* name, const std::string& text) {
    expect_error(Status::kFormat, part,
                 [&] { open_dev_set(folder_.write(name, text), DevTask::kAuto, Gives::kScores); });
  };
  refused("pairs.tsv:1: 2 columns", "pairs.tsv", "q\tright\n");
  refused("all 2 pairs have the score 3", "same.tsv", "3\tq\ta\n3\tq\tb\n");
  refused("one.jsonl: no query has both", "one.jsonl",
          R"({"anchor": "q", "documents": ["a"], "labels": [1]})"
          "\n");
  refused("labels.jsonl:1: 1 labels for 3 documents", "labels.jsonl",
          R"({"anchor": "q", "documents": ["a", "b", "c"], "labels": [1]})"
          "\n");
  refused("wrong.tsv: no query has both", "wrong.tsv", "q\ta\t0\nq\tb\t0\n");
  expect_error(Status::kArgument, "the reranker gives classes, which rank no documents", [&] {
    open_dev_set(folder_.write("classes.tsv", "q\ta\tb\n"), DevTask::kRerank, Gives::kClasses);
  });
}

}  // namespace
}  // namespace contrastive::run
