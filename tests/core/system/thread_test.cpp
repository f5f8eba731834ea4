#include "core/system/thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/system/stack.h"

namespace contrastive::system {
namespace {

TEST(OwnThread, RunsItsBodyElsewhereBeforeItIsJoined) {
  std::thread::id there;
  const auto body = [](void* into) {
    *static_cast<std::thread::id*>(into) = std::this_thread::get_id();
  };
  Thread thread;
  ASSERT_TRUE(start_own_thread(body, &there, ThreadEnd::kJoined, thread));
  join(thread);
  EXPECT_NE(there, std::thread::id());
  EXPECT_NE(there, std::this_thread::get_id());
}

TEST(OwnThread, RunsItsBodyIfItIsDetached) {
  std::atomic<bool> ran{false};
  const auto body = [](void* into) { *static_cast<std::atomic<bool>*>(into) = true; };
  Thread thread;
  ASSERT_TRUE(start_own_thread(body, &ran, ThreadEnd::kDetached, thread));
  while (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(OwnThread, HasTheLeastStack) {
  size_t left = 0;
  const auto body = [](void* into) { *static_cast<size_t*>(into) = stack_left(); };
  Thread thread;
  ASSERT_TRUE(start_own_thread(body, &left, ThreadEnd::kJoined, thread));
  join(thread);
  EXPECT_GT(left, kLeastStack / 2);
}

TEST(CoarseMilliseconds, PassWithTime) {
  const int64_t before = coarse_milliseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GE(coarse_milliseconds() - before, 60);
}

}  // namespace
}  // namespace contrastive::system
