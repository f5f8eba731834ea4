#include "core/host/helper_threads.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace contrastive::host {
namespace {

TEST(HelperThreads, AreJoinedWhenTheirOwnerGoes) {
  std::atomic<int> ran{0};
  {
    HelperThreads threads;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(threads.start([&ran] { ++ran; }));
    EXPECT_EQ(threads.size(), 3);
  }
  EXPECT_EQ(ran, 3);
}

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

TEST(RunOnOwnThread, ThrowsHereWhatIsThrownThere) {
  EXPECT_THROW(EXPECT_TRUE(run_on_own_thread([] { throw std::runtime_error("there"); })),
               std::runtime_error);
}

}  // namespace
}  // namespace contrastive::host
