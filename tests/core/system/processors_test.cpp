#include "core/system/processors.h"

#include <gtest/gtest.h>

#include <memory>

namespace contrastive::system {
namespace {

TEST(Processors, ThereIsAtLeastOne) {
  EXPECT_GE(usable_processors(), 1);
  EXPECT_EQ(usable_processors(), usable_processors());
}

TEST(Processors, OthersThanArmHaveNoArmCapabilities) {
#if defined(__aarch64__)
  GTEST_SKIP() << "this is one of Arm's";
#else
  EXPECT_EQ(arm_capabilities().first, 0u);
  EXPECT_EQ(arm_capabilities().second, 0u);
#endif
}

TEST(Processors, MemoryInUseIsNotReturned) {
  const auto kept = std::make_unique<int>(7);
  std::make_unique<char[]>(size_t{1} << 20).reset();
  return_freed_memory();
  EXPECT_EQ(*kept, 7);
}

}  // namespace
}  // namespace contrastive::system
