#include "core/torch/tensors/cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace contrastive::tensors {
namespace {

TEST(Cuda, TheCpuIsAlwaysThere) { EXPECT_NO_THROW(require_device(runtime::parse_device("cpu"))); }

TEST(Cuda, WithoutAGpuTheErrorSaysWhatWasLookedFor) {
  std::string why;
  if (cuda_device_count(&why) > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(why, testing::AnyOf(testing::HasSubstr("libtorch_cuda.so"), testing::HasSubstr("GPU"),
                                  testing::HasSubstr("driver")));
  try {
    require_device(runtime::parse_device("cuda"));
    FAIL() << "a missing device was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kDevice);
    EXPECT_THAT(error.message(), testing::HasSubstr(why));
  }
}

TEST(Cuda, AnIndexThatIsNotThereIsRefused) {
  EXPECT_THROW(require_device(runtime::parse_device("cuda:99")), Error);
}

}  // namespace
}  // namespace contrastive::tensors
