#include "core/system/stack.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>

namespace contrastive::system {
namespace {

void expect_own_stack() {
  const auto address = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const StackRange stack = own_stack();
  EXPECT_LT(stack.low, address);
  EXPECT_GT(stack.high, address);
  EXPECT_GT(stack_left(), size_t{16} << 10);
  EXPECT_LE(stack_left(), stack.high - stack.low);
}

TEST(Stack, IsWhereItsVariablesAre) {
  expect_own_stack();
  std::thread(expect_own_stack).join();
}

TEST(Stack, IsAnotherOneForEachThread) {
  const StackRange here = own_stack();
  StackRange there;
  std::thread([&] { there = own_stack(); }).join();
  EXPECT_TRUE(there.high <= here.low || here.high <= there.low);
}

}  // namespace
}  // namespace contrastive::system
