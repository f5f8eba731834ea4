#include "core/text/lazy_pages.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace contrastive::text {
namespace {

TEST(LazyPages, ComputesAPageOnceAndOnlyWhenAsked) {
  const LazyPages<int> pages;
  int calls = 0;
  const auto fill = [&](char32_t c) { return ++calls, static_cast<int>(c) * 2; };
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(pages.at(300, fill), 600);
  EXPECT_EQ(calls, 256);
  EXPECT_EQ(pages.at(511, fill), 1022);
  EXPECT_EQ(calls, 256);
  EXPECT_EQ(pages.at(0x10FFFF, fill), 2 * 0x10FFFF);
  EXPECT_EQ(calls, 512);
}

TEST(LazyPages, ManyThreadsSeeTheSameEntries) {
  const LazyPages<uint32_t> pages;
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(8);
  for (uint64_t& sum : sums) {
    threads.emplace_back([&] {
      for (char32_t c = 0; c < 0x20000; ++c)
        sum += pages.at(c, [](char32_t x) { return static_cast<uint32_t>(x) ^ 5u; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const uint64_t sum : sums) EXPECT_EQ(sum, sums[0]);
}

}  // namespace
}  // namespace contrastive::text
