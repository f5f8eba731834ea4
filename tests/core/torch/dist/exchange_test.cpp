#include "core/torch/dist/exchange.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include "tests/core/torch/dist/ranks.h"

namespace contrastive::dist {
namespace {

TEST(Exchange, ParcelsOfDifferentSizesArriveWhole) {
  for (const int size : {1, 2, 3}) {
    expect_no_errors(run_ranks(size, [&](World& world) {
      // Rank 1 has nothing; rank 2 has more than rank 0.
      Parcel own{cat("of rank ", world.rank()), {}};
      if (world.rank() != 1) {
        own.tensors.push_back(
            at::arange(4 * (world.rank() + 1), at::kFloat).view({-1, 2}).t());  // not contiguous
        own.tensors.push_back(at::ones({world.rank() + 1}, at::kLong) * world.rank());
        own.tensors.push_back(at::ones({}, at::kFloat));
      }
      const auto all = gather_parcels(world, own, at::kCPU, "to test");
      ASSERT_EQ(all.size(), static_cast<size_t>(world.size()));
      for (int64_t rank = 0; rank < world.size(); ++rank) {
        const Parcel& parcel = all[static_cast<size_t>(rank)];
        EXPECT_EQ(parcel.label, cat("of rank ", rank));
        ASSERT_EQ(parcel.tensors.size(), rank == 1 ? 0u : 3u);
        if (rank == 1) continue;
        EXPECT_TRUE(
            parcel.tensors[0].equal(at::arange(4 * (rank + 1), at::kFloat).view({-1, 2}).t()));
        EXPECT_TRUE(parcel.tensors[1].equal(at::ones({rank + 1}, at::kLong) * rank));
        EXPECT_EQ(parcel.tensors[2].dim(), 0);
      }
    }));
  }
}

TEST(Exchange, WhatIsReadOnTheCpuStaysThere) {
  expect_no_errors(run_ranks(2, [&](World& world) {
    const auto all =
        gather_parcels(world, {"ids", {at::ones({3}, at::kLong)}}, at::kMeta, "to test");
    ASSERT_EQ(all.size(), 2u);
    for (const Parcel& parcel : all) EXPECT_TRUE(parcel.tensors.at(0).is_cpu());
  }));
}

}  // namespace
}  // namespace contrastive::dist
