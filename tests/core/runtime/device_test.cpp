#include "core/runtime/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/runtime/threads.h"
#include "tests/expect_error.h"

namespace contrastive::runtime {
namespace {

TEST(Device, ReadsNames) {
  EXPECT_TRUE(parse_device("cpu").is_cpu());
  EXPECT_EQ(parse_device("cuda").index, 0);
  EXPECT_EQ(parse_device("cuda:7").index, 7);
  for (const char* text :
       {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:100", "CPU", "cuda: 1"}) {
    expect_error(Status::kArgument, cat("device '", text, "'"), [&] { parse_device(text); });
  }
}

TEST(Precision, ReadsNames) {
  EXPECT_EQ(parse_precision("bfloat16"), Precision::kBFloat16);
  EXPECT_EQ(precision_name(parse_precision("float32")), "float32");
  expect_error(Status::kArgument, "unknown precision 'float16'",
               [&] { parse_precision("float16"); });
}

}  // namespace
}  // namespace contrastive::runtime
