#include "core/torch/tensors/select_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <vector>

namespace contrastive::tensors {
namespace {

TEST(SelectRows, AreLibTorchsWithTheirGradient) {
  const at::Tensor x = at::rand({300, 401});
  for (const std::vector<int64_t>& numbers : {std::vector<int64_t>{7, 0, 299, 7, 7, 12},
                                              std::vector<int64_t>{}, std::vector<int64_t>{5}}) {
    const at::Tensor rows = at::tensor(numbers, at::kLong),
                     grad = at::rand({static_cast<int64_t>(numbers.size()), 401});
    const at::Tensor ours = x.clone().set_requires_grad(true),
                     theirs = x.clone().set_requires_grad(true);
    const at::Tensor selected = select_rows(ours, rows),
                     expected = at::index_select(theirs, 0, rows);
    EXPECT_TRUE(selected.equal(expected));
    selected.backward(grad);
    expected.backward(grad);
    EXPECT_TRUE(ours.grad().allclose(theirs.grad(), 1e-6, 1e-7)) << numbers.size();
  }
  const at::Tensor turned = at::rand({50, 60}).t();
  EXPECT_TRUE(select_rows(turned, at::tensor(std::vector<int64_t>{59, 3}))
                  .equal(turned.index_select(0, at::tensor(std::vector<int64_t>{59, 3}))));
  const at::Tensor vector = at::rand({9}), ours = vector.clone().set_requires_grad(true);
  const at::Tensor some = at::tensor(std::vector<int64_t>{8, 1, 8});
  EXPECT_TRUE(select_rows(ours, some).equal(vector.index_select(0, some)));
  select_rows(ours, some).sum().backward();
  EXPECT_EQ(ours.grad()[8].item<float>(), 2);
  EXPECT_EQ(ours.grad()[0].item<float>(), 0);
  const at::Tensor wide = at::rand({4, 3}, at::kDouble);
  EXPECT_TRUE(select_rows(wide, at::tensor(std::vector<int64_t>{2})).equal(wide.narrow(0, 2, 1)));
}

TEST(SelectRows, ARowThatIsNotThereIsAnError) {
  for (const int64_t row : {int64_t{-1}, int64_t{4}})
    EXPECT_THROW(select_rows(at::rand({4, 3}), at::tensor(std::vector<int64_t>{row})), c10::Error);
}

}  // namespace
}  // namespace contrastive::tensors
