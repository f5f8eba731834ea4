#include "core/system/wait.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace contrastive::system {
namespace {

TEST(Wait, AnotherValueIsNotWaitedFor) {
  std::atomic<uint32_t> word{1};
  sleep_while(word, 0);
  EXPECT_EQ(word, 1u);
}

TEST(Wait, AThreadWakesOnceTheWordHasChanged) {
  std::atomic<uint32_t> word{0};
  std::thread sleeper([&] {
    while (word == 0) sleep_while(word, 0);
    word = 2;
    wake(word, 1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  word = 1;
  wake(word, 1);
  while (word != 2) sleep_while(word, 1);
  sleeper.join();
}

TEST(Wait, AllSleepersWake) {
  std::atomic<uint32_t> word{0};
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 4; ++i) {
    sleepers.emplace_back([&] {
      while (word == 0) sleep_while(word, 0);
      ++awake;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  word = 1;
  wake(word, 4);
  for (std::thread& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(awake, 4);
}

}  // namespace
}  // namespace contrastive::system
