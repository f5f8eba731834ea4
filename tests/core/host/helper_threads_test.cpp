#include "core/host/helper_threads.h"

#include <gtest/gtest.h>

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

TEST(RunOnOwnThread, WaitsForAnotherThread) {
  std::thread::id there;
  ASSERT_TRUE(run_on_own_thread([&] { there = std::this_thread::get_id(); }));
  EXPECT_NE(there, std::thread::id());
  EXPECT_NE(there, std::this_thread::get_id());
}

TEST(RunOnOwnThread, ThrowsHereWhatIsThrownThere) {
  EXPECT_THROW(EXPECT_TRUE(run_on_own_thread([] { throw std::runtime_error("there"); })),
               std::runtime_error);
}

}  // namespace
}  // namespace contrastive::host
