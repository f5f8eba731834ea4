#include "core/base/base64.h"
#include "tests/expect_error.h"

#include <gtest/gtest.h>

namespace contrastive {
namespace {

TEST(Base64, TheExamplesOfTheStandard) {
  EXPECT_EQ(decode_base64("", "b"), "");
  EXPECT_EQ(decode_base64("Zg==", "b"), "f");
  EXPECT_EQ(decode_base64("Zm8=", "b"), "fo");
  EXPECT_EQ(decode_base64("Zm9v", "b"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYmFy", "b"), "foobar");
  EXPECT_EQ(decode_base64("/+8=", "b"), "\xFF\xEF");
}

TEST(Base64, RefusesWhatIsNone) {
  expect_error(Status::kFormat, "b: 3 characters", [] { decode_base64("Zm8", "b"); });
  expect_error(Status::kFormat, "b: character 1", [] { decode_base64("Z===", "b"); });
  expect_error(Status::kFormat, "b: character 2", [] { decode_base64("Zm 9", "b"); });
  expect_error(Status::kFormat, "b: character 0", [] { decode_base64("=m9v", "b"); });
}

}  // namespace
}  // namespace contrastive
