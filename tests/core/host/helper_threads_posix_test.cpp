#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "core/host/helper_threads.h"

namespace contrastive::host {
namespace {

TEST(RunOnOwnThread, ThreadsThatStartThereTakeNoSignalOfTheHost) {
  std::thread::id here = std::this_thread::get_id(), there;
  sigset_t mask;
  ASSERT_TRUE(run_on_own_thread([&] {
    there = std::this_thread::get_id();
    std::thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); }).join();
  }));
  EXPECT_NE(here, there);
  for (const int taken : {SIGPIPE, SIGINT, SIGTERM})
    EXPECT_TRUE(sigismember(&mask, taken)) << taken;
}

}  // namespace
}  // namespace contrastive::host
