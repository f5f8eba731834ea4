#include "core/base/tensor.h"
#include "tests/expect_error.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace contrastive {
namespace {

TEST(Tensor, HasMemoryOfItsOwnAtACacheLine) {
  Tensor tensor({3, 5});
  EXPECT_TRUE(tensor.defined());
  EXPECT_EQ(tensor.elements(), 15);
  EXPECT_EQ(tensor.bytes(), 60);
  EXPECT_EQ(tensor.dimensions(), 2);
  EXPECT_EQ(tensor.size(1), 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
  EXPECT_EQ(Tensor({2}, ElementType::kInt64).bytes(), 16);
  EXPECT_EQ(Tensor({2}, ElementType::kBFloat16).bytes(), 4);
  EXPECT_FALSE(Tensor().defined());
  EXPECT_EQ(Tensor().elements(), 0);
  EXPECT_EQ(Tensor(std::vector<int64_t>{}).elements(), 1) << "a single number";
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor a = Tensor::filled({4}, 2), shared = a, own = a.clone();
  EXPECT_TRUE(a == own);
  a.mutable_floats()[3] = 7;
  EXPECT_EQ(shared.floats()[3], 7);
  EXPECT_EQ(own.floats()[3], 2);
  EXPECT_FALSE(a == own);
  EXPECT_FALSE(Tensor::filled({4}, 2) == Tensor::filled({2, 2}, 2));
  EXPECT_FALSE(Tensor().clone().defined());
}

TEST(Tensor, AViewKeepsItsOwner) {
  auto memory = std::make_shared<std::vector<float>>(6, 1.5f);
  const std::weak_ptr<std::vector<float>> watched = memory;
  Tensor view({2, 3}, ElementType::kFloat32, memory->data(), memory);
  memory.reset();
  EXPECT_EQ(view.floats()[5], 1.5f);
  EXPECT_FALSE(watched.expired());
  view = {};
  EXPECT_TRUE(watched.expired());
}

TEST(Tensor, ShapesThatOverflowAreRefused) {
  const int64_t large = int64_t{1} << 40;
  expect_error(Status::kLimit, "overflows", [&] { Tensor({large, large}); });
  expect_error(Status::kLimit, "overflows", [] { Tensor({-1}); });
  EXPECT_EQ(Tensor({0, 7}).elements(), 0);
  EXPECT_EQ(shape_text({2, 3}), "[2, 3]");
  EXPECT_EQ(shape_text({}), "[]");
}

}  // namespace
}  // namespace contrastive
