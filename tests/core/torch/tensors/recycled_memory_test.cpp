#include "core/torch/tensors/recycled_memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace contrastive::tensors {
namespace {

constexpr int64_t kFloats = int64_t{1} << 18;  // 1 MiB

TEST(RecycledMemory, APieceIsUsedAgain) {
  at::Tensor first = recycled({kFloats});
  const void* const place = first.const_data_ptr();
  const int64_t used = recycled_memory().used;
  EXPECT_GE(used, kFloats * 4);
  const at::Tensor second = recycled({kFloats});
  EXPECT_NE(second.const_data_ptr(), place);
  EXPECT_EQ(recycled_memory().used, used + kFloats * 4);
  first.reset();
  EXPECT_EQ(recycled_memory().used, used);
  EXPECT_EQ(recycled({kFloats}).const_data_ptr(), place);
  EXPECT_GE(recycled_memory().peak, used + kFloats * 4);
}

TEST(RecycledMemory, FreedNeighboursBecomeOnePiece) {
  release_recycled_memory();
  {
    std::vector<at::Tensor> pieces;
    for (int i = 0; i < 16; ++i) pieces.push_back(recycled({kFloats}));
    for (int i = 0; i < 16; i += 2) pieces[static_cast<size_t>(i)].reset();
  }
  const int64_t used = recycled_memory().used;
  {
    const at::Tensor whole = recycled({16 * kFloats});
    EXPECT_EQ(recycled_memory().used, used + 16 * kFloats * 4);
  }
  release_recycled_memory();
  EXPECT_EQ(recycled_memory().peak, used);
  EXPECT_EQ(recycled_memory().used, used);
}

TEST(RecycledMemory, ZerosAreZerosInUsedMemoryToo) {
  recycled({kFloats}).fill_(7);
  EXPECT_EQ(recycled_zeros({kFloats}).abs().max().item<double>(), 0);
  EXPECT_TRUE(recycled_like(at::rand({30, 20}).t()).is_contiguous());
  EXPECT_EQ(recycled({2}, at::TensorOptions(at::kLong)).scalar_type(), at::kLong);
}

TEST(RecycledMemory, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  const int64_t used = recycled_memory().used;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 50; ++i) {
        const at::Tensor mine = recycled({kFloats / 4 * (1 + i % 3)});
        mine.fill_(t);
        wrong[static_cast<size_t>(t)] += !mine.eq(t).all().item<bool>();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
  EXPECT_EQ(recycled_memory().used, used);
}

}  // namespace
}  // namespace contrastive::tensors
