#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(ParaphrasesTask, FindsThePairsAmongTheTexts) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "1\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n1\tred\tred\n");
  const Json found =
      evaluate(encoder(), "paraphrases", config({{"data", pairs}, {"min_score", "-1"}}), nullptr);
  EXPECT_EQ(found["texts"], 4);
  EXPECT_EQ(found["pairs"], 6);
  EXPECT_EQ(found["paraphrases"], 1);  // a text and itself are not a pair
  expect_error(Status::kArgument, "or both of texts and duplicates",
               [&] { evaluate(encoder(), "paraphrases", config({{"texts", pairs}}), nullptr); });
}

}  // namespace
}  // namespace contrastive::eval
