#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Evaluate, TsneGivesPointsAndWritesThem) {
  const TemporaryFolder folder;
  const std::string pairs = folder.write(
      "p.tsv", "5\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n5\tblue\tblue blue\n");
  const std::string output = folder.path() + "/points.tsv";
  const Json json = evaluate(
      encoder(), "tsne",
      config({{"data", pairs}, {"output", output}, {"iterations", "50"}, {"perplexity", "1"}}),
      nullptr);
  ASSERT_EQ(json["points"].size(), 6u);
  EXPECT_EQ(json["points"][5]["pair"], 2);
  EXPECT_EQ(json["points"][5]["gold"], 0.0);
  EXPECT_TRUE(json["kl"].is_number());
  const std::string table = read_file(output, 1 << 20);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  EXPECT_EQ(table.substr(0, 6), "1\ta\t5\t");
  const std::string texts = folder.write("t.tsv", "x\tred\nx\tblue\ny\tthe cat sat\n");
  expect_error(Status::kArgument, "at least 4",
               [&] { evaluate(encoder(), "tsne", config({{"texts", texts}}), nullptr); });
}

}  // namespace
}  // namespace contrastive::eval
