#include "core/adapt/corpus_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

using ::testing::ElementsAre;

TEST(CorpusRows, LeaveOutWhatWouldCountAsAMistakeAndIsNone) {
  const std::vector<std::string> answers = {"the answer to the first question",
                                            "an answer of four words"};
  const auto corpus = mining::texts_of({answers[0], "The answer to the first question!",
                                        "something else", "", "something else", "Something Else"});
  const CorpusRows rows = look_through_corpus(*corpus, answers, 0.8, nullptr);
  EXPECT_THAT(rows.left_out, ElementsAre(1, 3, 4));
  EXPECT_EQ(rows.near_answers, 1);
  EXPECT_EQ(rows.empty, 1);
  EXPECT_EQ(rows.repeated, 1);
}

TEST(CorpusRows, CountWhatTheFileLeftOut) {
  const TemporaryFolder folder;
  const auto corpus = data::open_dataset(folder.write("corpus.txt", "one\n\n \n\ntwo\n"), {});
  const CorpusRows rows = look_through_corpus(*corpus, {"an answer"}, 0.8, nullptr);
  EXPECT_EQ(rows.read, 5);
  EXPECT_EQ(rows.empty, 3);
  EXPECT_THAT(rows.left_out, ElementsAre(1)) << "an index of an existing row";
}

TEST(CorpusRows, RefuseACorpusOfPairsAndAnEmptyOne) {
  expect_error(Status::kArgument, "--corpus-column",
               [] { look_through_corpus(*mining::pairs_of({{"a", "b"}}), {"b"}, 0.8, nullptr); });
  expect_error(Status::kArgument, "the corpus has pairs",
               [] { look_through_corpus(*mining::pairs_of({{"a", "b"}}), {"b"}, 0.8, nullptr); });
  expect_error(Status::kArgument, "the corpus has no text",
               [] { look_through_corpus(*mining::texts_of({}), {"b"}, 0.8, nullptr); });
}

}  // namespace
}  // namespace contrastive::adapt
