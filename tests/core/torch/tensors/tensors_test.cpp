#include "core/torch/tensors/tensors.h"
#include "tests/expect_error.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace contrastive::tensors {
namespace {

TEST(TorchTensors, ShareTheirNumbersBothWays) {
  Tensor ours = Tensor::filled({2, 3}, 1);
  const at::Tensor theirs = to_torch(ours);
  EXPECT_EQ(theirs.sizes().vec(), (std::vector<int64_t>{2, 3}));
  theirs.add_(4);
  EXPECT_EQ(ours.floats()[5], 5);
  const Tensor back = from_torch(theirs);
  EXPECT_EQ(back.data(), ours.data());
  const float* const first = ours.floats();
  ours = {};
  EXPECT_EQ(theirs[1][2].item<float>(), 5) << "LibTorch's tensor keeps the memory";
  EXPECT_EQ(back.floats(), first);
}

TEST(TorchTensors, GapsAreClosed) {
  const at::Tensor turned = at::arange(6, at::kFloat).view({2, 3}).t();
  const Tensor ours = from_torch(turned);
  EXPECT_EQ(ours.shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(ours.floats()[1], 3);
}

TEST(TorchTensors, EveryTypeThatAFileHolds) {
  for (const c10::ScalarType type :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong}) {
    const at::Tensor tensor = at::arange(5).to(type);
    EXPECT_TRUE(to_torch(from_torch(tensor)).equal(tensor)) << type;
    EXPECT_EQ(to_torch(from_torch(tensor)).scalar_type(), type);
  }
  EXPECT_FALSE(to_torch(Tensor()).defined());
  EXPECT_FALSE(from_torch(at::Tensor()).defined());
  expect_error(Status::kUnsupported, "Bool", [] { from_torch(at::zeros({2}, at::kBool)); });
}

}  // namespace
}  // namespace contrastive::tensors
