#include "core/runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/runtime/threads.h"

namespace contrastive::runtime {
namespace {

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { set_threads(4); }
};

TEST_F(ThreadPool, EveryItemIsDoneOnce) {
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> done(97);
    parallel_for(97, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& count : done) ASSERT_EQ(count, 1);
  }
  parallel_for(0, [](int64_t) { FAIL() << "nothing to do"; });
}

TEST_F(ThreadPool, ABarrierSeparatesSteps) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> arrived{0};
    std::atomic<bool> wrong{false};
    run_team(4, [&](Team& team) {
      for (int step = 1; step <= 5; ++step) {
        ++arrived;
        team.barrier();
        if (arrived < step * team.size()) wrong = true;
        team.barrier();
      }
    });
    ASSERT_FALSE(wrong);
  }
}

TEST_F(ThreadPool, SharesCoverAllItemsInGrains) {
  run_team(4, [](Team& team) {
    const Team::Share share = team.share(50, 12);
    EXPECT_EQ(share.begin % 12, 0);
    EXPECT_TRUE(share.end == 50 || share.end % 12 == 0);
    if (team.rank() == 0) {
      EXPECT_EQ(share.begin, 0);
    }
    if (team.rank() == team.size() - 1) {
      EXPECT_EQ(share.end, 50);
    }
  });
}

TEST_F(ThreadPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(parallel_for(40, [](int64_t i) { if (i == 7) throw std::runtime_error("seven"); }), std::runtime_error);
    // A member that never comes to the barrier must not leave the others there.
    EXPECT_THROW(run_team(4, [](Team& team) {
      if (team.rank() == 0) throw std::runtime_error("zero");
      team.barrier();
    }), std::runtime_error);
  }
}

TEST_F(ThreadPool, ManyCallersAndNestedCallsFinish) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        parallel_for(10, [&](int64_t i) { parallel_for(3, [&](int64_t j) { sum += i * j; }); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 8 * 50 * 45 * 3);
}

TEST_F(ThreadPool, AForkedChildGetsAPoolOfItsOwn) {
  parallel_for(16, [](int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> done{0};
    parallel_for(16, [&](int64_t) { ++done; });
    _exit(done == 16 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace contrastive::runtime
