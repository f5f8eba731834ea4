#include "core/base/checked.h"

#include "tests/expect_error.h"

namespace contrastive {
namespace {

TEST(Size, EveryOverflowIsAnErrorThatNamesTheQuantity) {
  EXPECT_EQ((Size(3, "rows") * 4 + 5).at_most(17).value(), 17);
  EXPECT_EQ(Size(INT64_MAX, "rows").bytes(), static_cast<size_t>(INT64_MAX));
  expect_error(Status::kLimit, "rows is negative: -1", [] { Size(-1, "rows"); });
  expect_error(Status::kLimit, "rows overflows: 4611686018427387904 x 2",
               [] { Size(int64_t{1} << 62, "rows") * 2; });
  expect_error(Status::kLimit, "rows overflows: 3 x -1", [] { Size(3, "rows") * -1; });
  expect_error(Status::kLimit, "rows overflows: 9223372036854775807 + 1",
               [] { Size(INT64_MAX, "rows") + 1; });
  expect_error(Status::kLimit, "rows overflows: 3 + -4", [] { Size(3, "rows") + -4; });
  expect_error(Status::kLimit, "rows is 18, above the limit of 17",
               [] { Size(18, "rows").at_most(17); });
}

TEST(Narrow, KeepsTheValueOrRefuses) {
  EXPECT_EQ(narrow<int32_t>(int64_t{-5}, "n"), -5);
  EXPECT_EQ(narrow<uint8_t>(255, "n"), 255);
  expect_error(Status::kLimit, "token count does not fit: 2147483648",
               [] { narrow<int32_t>(int64_t{1} << 31, "token count"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<uint32_t>(-1, "n"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<int64_t>(UINT64_MAX, "n"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<uint8_t>(256, "n"); });
}

}  // namespace
}  // namespace contrastive
