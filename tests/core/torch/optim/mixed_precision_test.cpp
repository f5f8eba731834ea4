#include "core/torch/optim/mixed_precision.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

namespace contrastive::optim {
namespace {

TEST(Autocast, EndsWithItsScope) {
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  {
    const Autocast on(Amp::kBfloat16, at::kCPU);
    EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
    EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), at::kBFloat16);
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCUDA));
    const Autocast nothing(Amp::kOff, at::kCPU);
  }
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(GradScaler, HalvesDoublesAndGivesUp) {
  GradScaler scaler(true);
  EXPECT_EQ(scaler.scale(), GradScaler::kFirstScale);
  EXPECT_TRUE(scaler.shrink());
  EXPECT_EQ(scaler.scale(), GradScaler::kFirstScale / 2);
  for (int64_t i = 0; i < GradScaler::kGrowthInterval - 1; ++i) scaler.succeeded();
  EXPECT_EQ(scaler.scale(), GradScaler::kFirstScale / 2);
  scaler.succeeded();
  EXPECT_EQ(scaler.scale(), GradScaler::kFirstScale);
  int tries = 0;
  while (scaler.shrink()) ++tries;
  EXPECT_EQ(tries, 16);
  EXPECT_EQ(scaler.scale(), 1);
  EXPECT_EQ(scaler.retries(), 17);
}

TEST(GradScaler, StateComesBack) {
  GradScaler scaler(true), other(true);
  scaler.shrink();
  for (int i = 0; i < 5; ++i) scaler.succeeded();
  other.restore(scaler.state());
  EXPECT_EQ(other.state(), scaler.state());
  EXPECT_EQ(other.scale(), GradScaler::kFirstScale / 2);
}

TEST(GradScaler, OffIsOne) {
  GradScaler scaler(false);
  for (int64_t i = 0; i < 2 * GradScaler::kGrowthInterval; ++i) scaler.succeeded();
  EXPECT_EQ(scaler.scale(), 1);
  EXPECT_FALSE(scaler.shrink());
}

}  // namespace
}  // namespace contrastive::optim
