#include "core/adapt/text_rows.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"

namespace contrastive::adapt {
namespace {

TEST(TextRows, AreTheOthersInTheirOrder) {
  const auto base = mining::texts_of({"a", "b", "c", "d"});
  TextRows rows(*base, {0, 2});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.get(0).a, "b");
  EXPECT_EQ(rows.get(1).a, "d");
  EXPECT_EQ(rows.where(1), base->where(3));
  EXPECT_NE(rows.fingerprint(), TextRows(*base, {0, 1}).fingerprint());
  EXPECT_EQ(rows.report().lines, 2);
  expect_error(Status::kArgument, "example 2 of a dataset of 2", [&] { rows.get(2); });
  expect_error(Status::kState, "these are rows of another dataset", [&] { rows.add({}); });
  expect_error(Status::kCorrupt, "rows are left out that the dataset of 4 does",
               [&] { TextRows(*base, {7}); });
}

}  // namespace
}  // namespace contrastive::adapt
