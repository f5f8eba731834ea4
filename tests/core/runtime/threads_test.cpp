#include "core/runtime/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::runtime {
namespace {

TEST(Threads, AreCounted) {
  set_threads(0);  // other tests of this program set them
  const int before = threads();
  EXPECT_GE(before, 1);
  set_threads(3);
  EXPECT_EQ(threads(), 3);
  expect_error(Status::kArgument, "threads is -1: 1 to 1024 are allowed, and 0",
               [&] { set_threads(-1); });
  expect_error(Status::kArgument, "threads is 100000: 1 to 1024 are allowed, and 0",
               [&] { set_threads(100000); });
  EXPECT_EQ(threads(), 3);
  set_threads(0);
  EXPECT_EQ(threads(), before) << "0 is the default";
}

TEST(Threads, ALimitHoldsInItsScope) {
  set_threads(4);
  {
    const ThreadLimit two(2);
    EXPECT_EQ(threads(), 2);
    {
      const ThreadLimit more(3), none(0);
      EXPECT_EQ(threads(), 2) << "the smallest applies";
      const ThreadLimit one(1);
      EXPECT_EQ(threads(), 1);
    }
    EXPECT_EQ(threads(), 2);
    std::thread([] { EXPECT_EQ(threads(), 4) << "a limit is of one thread"; }).join();
  }
  EXPECT_EQ(threads(), 4);
  EXPECT_FALSE(has_thread_limit());
  set_threads(0);
}

}  // namespace
}  // namespace contrastive::runtime
