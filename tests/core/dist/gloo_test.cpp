#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include "core/dist/connections.h"
#include "tests/core/dist/ranks.h"

namespace contrastive::dist {
namespace {

void finish(Exchange& exchange) {
  while (!exchange.wait(Milliseconds(100))) {
  }
}

TEST(Gloo, GathersAndExchangesInTheOrderOfTheRanks) {
  const auto store = Store::in_process();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const auto connections = connect_gloo(*store, link_of(rank, 3));
      const at::Tensor own = at::arange(3, at::kFloat) + 10 * rank, all = at::zeros({9}), pieces = at::zeros({3});
      finish(*connections->all_gather(all, own));
      finish(*connections->all_to_all(pieces, own));
      for (int64_t other = 0; other < 3; ++other) {
        EXPECT_EQ(all[other * 3 + 1].item<float>(), static_cast<float>(other * 10 + 1));
        EXPECT_EQ(pieces[other].item<float>(), static_cast<float>(other * 10 + rank));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace contrastive::dist
