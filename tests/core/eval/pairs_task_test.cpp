#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(PairsTask, ReportsEveryMetric) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "1\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n1\tred\tred\n");
  const Json told = evaluate(encoder(), "pairs", config({{"data", pairs}}), nullptr);
  EXPECT_EQ(told["positives"], 2);
  for (const char* metric : {"cosine", "dot", "euclidean", "manhattan"})
    EXPECT_EQ(told[metric].size(), 8u) << metric;
}

}  // namespace
}  // namespace contrastive::eval
