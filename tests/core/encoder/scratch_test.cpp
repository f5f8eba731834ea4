#include "core/encoder/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/expect_error.h"

namespace contrastive::encoder {
namespace {

TEST(Scratch, PiecesBeginAtCacheLinesAndDoNotOverlap) {
  Scratch scratch(Scratch::rounded(3) + Scratch::rounded(17));
  float* const first = scratch.take(3);
  float* const second = scratch.take(17);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  EXPECT_EQ(second, first + 16);
  expect_error(Status::kInternal, "reckoned too small", [&] { scratch.take(1 << 26); });
}

TEST(Scratch, AThreadGetsTheSameMemoryAgain) {
  float *outer_before, *inner_before;
  {
    Scratch outer(1000), inner(2000);
    outer_before = outer.take(1000);
    inner_before = inner.take(2000);
    EXPECT_NE(outer_before, inner_before);
  }
  Scratch outer(500), inner(2000), third(16);
  EXPECT_EQ(outer.take(500), outer_before);
  EXPECT_EQ(inner.take(2000), inner_before);
  float* const own = third.take(16);
  EXPECT_NE(own, outer_before);
  EXPECT_NE(own, inner_before);
}

}  // namespace
}  // namespace contrastive::encoder
