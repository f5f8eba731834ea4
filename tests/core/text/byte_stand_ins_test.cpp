#include "core/text/byte_stand_ins.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

TEST(ByteStandIns, EveryByteIsACharacterOfItsOwnSource) {
  NormalizedText in, out;
  take_as_given("a \u00E9", 10, true, in);
  ASSERT_TRUE(ByteStandIns().apply(in, 10, true, out));
  EXPECT_EQ(out.bytes, "a\u0120\u00C3\u00A9");
  EXPECT_EQ(out.begins, (std::vector<int64_t>{10, 11, 11, 12, 12, 12, 12}));
  EXPECT_EQ(out.ends, (std::vector<int64_t>{11, 12, 12, 14, 14, 14, 14}));
}

}  // namespace
}  // namespace contrastive::text
