#include "core/torch/dist/world.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>

#include <atomic>
#include <chrono>

#include "tests/core/torch/dist/ranks.h"
#include "tests/expect_error.h"

namespace contrastive::dist {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(World, EveryRankHearsAll) {
  for (const int size : {1, 2, 4}) {
    expect_no_errors(run_ranks(size, [&](World& world) {
      EXPECT_EQ(world.size(), size);
      const auto texts =
          world.gather(std::string(static_cast<size_t>(world.rank()) * 3, 'x'), "to test");
      for (int rank = 0; rank < size; ++rank)
        EXPECT_EQ(texts[static_cast<size_t>(rank)].size(), static_cast<size_t>(rank) * 3);
      const at::Tensor all = world.gather(at::ones({2}) * world.rank(), "to test");
      EXPECT_EQ(all.numel(), 2 * size);
      EXPECT_EQ(all.sum().item<double>(), size * (size - 1));
      int times = 0;
      const auto say = [&] { return cat("said ", ++times); };
      EXPECT_EQ(world.from_first(say, "to test"), "said 1");
      EXPECT_EQ(world.from_first(say, "to test"), "said 2");
      EXPECT_EQ(times, world.first() ? 2 : 0);
      world.meet("to test");
    }));
  }
}

TEST(World, ARankThatFailsIsTheReasonOnAll) {
  const auto errors = run_ranks(3, [](World& world) {
    world.gather("together", "to test");
    if (world.rank() == 1) {
      world.leave("its disk is full");
      fail(Status::kDistributed, "its disk is full");
    }
    world.gather("alone", "to sum");
  });
  EXPECT_EQ(errors[1], "its disk is full");
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 0 cannot go on to sum"),
                               HasSubstr("rank 1 failed: its disk is full")));
  EXPECT_THAT(errors[2], HasSubstr("rank 1 failed: its disk is full"));
}

TEST(World, ARankThatEndsEarlyIsNamed) {
  const auto errors = run_ranks(
      2,
      [](World& world) {
        world.gather("together", "to test");
        if (world.rank() == 0) world.gather("alone", "to go on");
      },
      Milliseconds(3000));
  EXPECT_THAT(errors[0], HasSubstr("rank 1 has ended its run"));
}

TEST(World, ARankThatDoesNotComeIsNamed) {
  std::atomic<int> failed{0};
  const auto begin = Clock::now();
  const auto errors = run_ranks(
      3,
      [&](World& world) {
        world.gather("together", "to test");
        if (world.rank() == 2) {
          while (failed < 2)
            std::this_thread::sleep_for(
                Milliseconds(20));  // busy with other work: its heartbeat continues
          return;
        }
        try {
          world.gather("without rank 2", "to go on");
        } catch (...) {
          ++failed;
          throw;
        }
      },
      Milliseconds(5000));
  for (const int rank : {0, 1})
    EXPECT_THAT(errors[static_cast<size_t>(rank)], HasSubstr("rank 2 is alive but did not come"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
}

TEST(World, RanksThatDoNotComeAtAllAreNamed) {
  const auto store = Store::in_process();
  expect_error(Status::kDistributed, "ranks 0, 2 and 3 of 4 did not come within 0.3 s",
               [&] { const World world(store, link_of(1, 4, Milliseconds(300))); });
}

TEST(World, ANumberOfRanksThatDiffersIsNamed) {
  const auto store = Store::in_process();
  std::string one, two;
  std::thread other([&] {
    two = expect_error(Status::kDistributed, "do not belong together",
                       [&] { const World world(store, link_of(1, 3, Milliseconds(5000))); });
  });
  one = expect_error(Status::kDistributed, "do not belong together",
                     [&] { const World world(store, link_of(0, 2, Milliseconds(5000))); });
  other.join();
  for (const std::string& text : {one, two})
    EXPECT_THAT(text, AllOf(HasSubstr("2 ranks"), HasSubstr("3 ranks")));
}

TEST(World, AVersionThatDiffersIsNamed) {
  const auto store = Store::in_process();
  store->set("meeting/1", "");
  store->set("here/1", "2 ranks, version 9.9.9 with LibTorch 9.9.9");
  const auto why = expect_error(Status::kDistributed, "rank 0 expects 2 ranks, version ", [&] {
    const World world(store, link_of(0, 2, Milliseconds(5000)));
  });
  EXPECT_THAT(why, HasSubstr("rank 1 expects 2 ranks, version 9.9.9"));
  EXPECT_EQ(store->get(World::kRefused), why);  // what rank 1 finds there
}

TEST(World, ARankThatIsThereTwiceIsRefused) {
  const auto store = Store::in_process();
  store->add("taken/0", 1);
  expect_error(Status::kDistributed, "rank 0 is there twice",
               [&] { const World world(store, link_of(0, 2, Milliseconds(300))); });
}

TEST(World, RankZeroMayTakeLongerThanTheTimeLimit) {
  expect_no_errors(run_ranks(
      2,
      [](World& world) {
        const auto slow = [] {
          std::this_thread::sleep_for(Milliseconds(2200));
          return std::string("done");
        };
        EXPECT_EQ(world.from_first(slow, "to evaluate"), "done");
      },
      Milliseconds(1000)));
}

TEST(World, AfterAnErrorNothingGoesOn) {
  const auto errors = run_ranks(
      2,
      [](World& world) {
        world.leave("over");
        world.gather("more", "to test");
      },
      Milliseconds(2000));
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("over"));
}

}  // namespace
}  // namespace contrastive::dist
