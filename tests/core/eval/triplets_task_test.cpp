#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(TripletsTask, CountsWhatIsNearerByTheMargin) {
  const TemporaryFolder folder;
  const std::string triplets =
      folder.write("triplets.tsv", "red\tred\tstock markets fell\nred\tthe cat sat\tred\n");
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}}),
                     nullptr)["accuracy"]["cosine"],
            0.5);
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}, {"margin", "5"}}),
                     nullptr)["accuracy"]["cosine"],
            0.0);
}

}  // namespace
}  // namespace contrastive::eval
