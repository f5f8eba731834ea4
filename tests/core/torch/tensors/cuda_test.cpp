#include "core/torch/tensors/cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::tensors {
namespace {

TEST(Cuda, TheCpuIsAlwaysThere) { EXPECT_NO_THROW(require_device(runtime::parse_device("cpu"))); }

TEST(Cuda, WithoutAGpuTheErrorSaysWhatWasLookedFor) {
  std::string why;
  if (cuda_device_count(&why) > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(why, testing::AnyOf(testing::HasSubstr("libtorch_cuda.so"), testing::HasSubstr("GPU"),
                                  testing::HasSubstr("driver")));
  expect_error(Status::kDevice, why, [&] { require_device(runtime::parse_device("cuda")); });
}

TEST(Cuda, AnIndexThatIsNotThereIsRefused) {
  expect_error(Status::kDevice, "device cuda:99",
               [&] { require_device(runtime::parse_device("cuda:99")); });
}

}  // namespace
}  // namespace contrastive::tensors
