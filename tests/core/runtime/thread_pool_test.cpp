#include "core/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/core/runtime/four_threads.h"

namespace contrastive::runtime {
namespace {

TEST_F(ThreadPool, EveryItemIsDoneOnce) {
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> done(97);
    parallel_for(97, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& count : done) ASSERT_EQ(count, 1);
  }
  parallel_for(0, [](int64_t) { FAIL() << "nothing to do"; });
}

TEST_F(ThreadPool, RangesCoverAllRows) {
  std::vector<std::atomic<int>> done(kRangeRows * 3 + 5);
  parallel_rows(static_cast<int64_t>(done.size()), [&](int64_t range, int64_t begin, int64_t end) {
    EXPECT_EQ(begin, range * kRangeRows);
    for (int64_t row = begin; row < end; ++row) ++done[static_cast<size_t>(row)];
  });
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST_F(ThreadPool, NoMoreThanMostAtATime) {
  for (int round = 0; round < 300; ++round) {
    const int most = 1 + round % 4;
    std::atomic<int> here{0}, highest{0};
    parallel_for(
        24,
        [&](int64_t) {
          const int now = ++here;
          for (int seen = highest; seen < now && !highest.compare_exchange_weak(seen, now);) {
          }
          if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
          --here;
        },
        most);
    ASSERT_LE(highest, most);
  }
}

// The items of a limited call may use the pool again, and still no more threads work than allowed.
TEST_F(ThreadPool, ALimitHoldsForNestedWork) {
  std::atomic<int> here{0}, highest{0};
  const ThreadLimit two(2);
  parallel_for(6, [&](int64_t) {
    parallel_for(6, [&](int64_t) {
      const int now = ++here;
      for (int seen = highest; seen < now && !highest.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --here;
    });
  });
  EXPECT_LE(highest, 2);
}

// A thread that is preempted during an item delays nothing else: all other items are done
// meanwhile.
TEST_F(ThreadPool, OneItemHoldsNoOtherUp) {
  constexpr int64_t kItems = 100;
  std::atomic<int64_t> done{0};
  std::atomic<bool> alone{false};
  parallel_for(kItems, [&](int64_t i) {
    if (i != 0) {
      ++done;
      return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (done < kItems - 1 && !alone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      alone = std::chrono::steady_clock::now() > end;
    }
  });
  EXPECT_FALSE(alone) << "no thread took the other items";
}

// A thread that never starts is not waited for: here another call occupies all of them.
TEST_F(ThreadPool, AThreadThatIsHeldElsewhereIsDoneWithout) {
  std::atomic<int> held{0};
  std::atomic<bool> release{false};
  std::thread other([&] {
    parallel_for(4, [&](int64_t) {
      ++held;
      while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (held < 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::atomic<int> done{0};
  parallel_for(16, [&](int64_t) { ++done; });
  EXPECT_EQ(done, 16);
  release = true;
  other.join();
}

TEST_F(ThreadPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(parallel_for(40,
                              [](int64_t i) {
                                if (i == 7) throw std::runtime_error("seven");
                              }),
                 std::runtime_error);
    // Two items that fail at the same time.
    std::atomic<int> inside{0};
    EXPECT_THROW(parallel_for(40,
                              [&](int64_t) {
                                ++inside;
                                const auto end = std::chrono::steady_clock::now() +
                                                 std::chrono::milliseconds(20);
                                while (inside < 2 && std::chrono::steady_clock::now() < end) {
                                }
                                throw std::runtime_error("all");
                              }),
                 std::runtime_error);
    std::atomic<int> done{0};
    parallel_for(40, [&](int64_t) { ++done; });
    ASSERT_EQ(done, 40);
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

}  // namespace
}  // namespace contrastive::runtime
