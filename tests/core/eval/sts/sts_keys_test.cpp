#include "core/eval/sts/sts_keys.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(StsKeys, NameTheFilesThatAreRead) {
  const TemporaryFolder folder;
  Config keys;
  keys.set("data", folder.write("sts.tsv", "5\ta cat\ta cat\n0\tred\tblue\n"));
  const std::vector<StsSet> sets = read_options<StsKeys>(keys, "").read();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].subsets.at(0).gold, (std::vector<double>{5, 0}));
  expect_error(Status::kArgument, "data is not set", [] { StsKeys().read(); });
  keys.set("aggregate", "men");
  expect_error(Status::kArgument, "did you mean 'mean'", [&] { read_options<StsKeys>(keys, ""); });
}

}  // namespace
}  // namespace contrastive::eval
