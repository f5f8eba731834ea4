#include "core/adapt/text_rows.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/mining/tables.h"

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
  EXPECT_THROW(rows.get(2), Error);
  EXPECT_THROW(rows.add({}), Error);
  EXPECT_THROW(TextRows(*base, {7}), Error);
}

}  // namespace
}  // namespace contrastive::adapt
