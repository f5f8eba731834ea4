#include "core/system/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace contrastive::system {
namespace {

struct Counted {
  static inline std::atomic<int> made{0}, alive{0};
  Counted() { ++made, ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};

// An object of this kind has to live as long as the process.
const PerThread<Counted>& counted() {
  static const PerThread<Counted> objects;
  return objects;
}

TEST(PerThread, EachThreadHasItsOwnObject) {
  counted().here().value = 1;
  int there = -1;
  std::thread([&] {
    there = counted().here().value;
    counted().here().value = 2;
  }).join();
  EXPECT_EQ(there, 0);
  EXPECT_EQ(counted().here().value, 1);
}

TEST(PerThread, TheObjectIsDestroyedWhenItsThreadEnds) {
  const int made = Counted::made, alive = Counted::alive;
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      counted().here();
      counted().here();
      EXPECT_EQ(Counted::alive, alive + 1);
    }).join();
  }
  EXPECT_EQ(Counted::made, made + 3) << "one for each thread";
  EXPECT_EQ(Counted::alive, alive);
}

TEST(PerThread, AThreadThatUsesNoneHasNone) {
  counted();
  const int made = Counted::made;
  std::thread([] {}).join();
  EXPECT_EQ(Counted::made, made);
}

TEST(ThreadKey, BeginsEmpty) {
  static const ThreadKey key([](void*) {});
  EXPECT_EQ(key.get(), nullptr);
  int value = 0;
  EXPECT_TRUE(key.set(&value));
  EXPECT_EQ(key.get(), &value);
  std::thread([] { EXPECT_EQ(key.get(), nullptr); }).join();
  EXPECT_TRUE(key.set(nullptr));
}

}  // namespace
}  // namespace contrastive::system
