#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"

namespace contrastive::eval {
namespace {

TEST(Evaluate, StsGivesTheStableForm) {
  const TemporaryFolder folder;
  folder.write("one.tsv", "5\ta cat\ta cat\n3\ta cat\tthe cat sat\n0\ta cat\tstock markets fell\n");
  folder.write("two.tsv", "1\tred\tblue\n4\tred\tred red\n");
  const Json json = evaluate(encoder(), "sts", config({{"data", folder.path()}}), nullptr);
  for (const char* figure : {"spearman", "pearson"}) {
    for (const char* aggregate : {"all", "mean", "wmean"})
      EXPECT_TRUE(json[figure][aggregate].is_number()) << figure << " " << aggregate;
  }
  EXPECT_EQ(json["subsets"].size(), 2u);
  EXPECT_EQ(json["subsets"]["one"]["pairs"], 3);
  EXPECT_NE(evaluate(encoder(), "sts", config({{"data", folder.path()}, {"encode.pooling", "cls"}}),
                     nullptr)["pearson"],
            json["pearson"]);
}

TEST(Evaluate, StsWritesItsPairs) {
  const TemporaryFolder folder;
  const std::string data = folder.write("one.tsv",
                                        "5\ta cat\ta cat\n3.5\ta cat\tstock markets fell\n"),
                    output = folder.path() + "/pairs";
  evaluate(encoder(), "sts", config({{"data", data}, {"output", output}}), nullptr);
  const std::string lines = read_file(output, 1000);
  EXPECT_THAT(lines, testing::StartsWith("one.tsv\tone\t5\t1\ta cat\ta cat\none.tsv\tone\t3.5\t"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

}  // namespace
}  // namespace contrastive::eval
