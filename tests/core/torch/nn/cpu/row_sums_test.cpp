#include "core/torch/nn/cpu/row_sums.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include "core/runtime/threads.h"

namespace contrastive::nn {
namespace {

TEST(RowSums, OfAnyShapeAndStride) {
  for (const int64_t rows : {1, 3, 1000, 5000}) {
    const at::Tensor wide = at::rand({rows, 70});
    EXPECT_TRUE(sum_of_rows(wide).allclose(wide.sum(0), 1e-5, 1e-4)) << rows;
    const at::Tensor columns = wide.narrow(1, 5, 33);
    EXPECT_TRUE(sum_of_rows(columns).allclose(columns.sum(0), 1e-5, 1e-4)) << rows;
  }
}

TEST(RowSums, DoNotDependOnTheThreads) {
  const at::Tensor x = at::rand({5000, 37});
  const int before = runtime::threads();
  runtime::set_threads(1);
  const at::Tensor alone = sum_of_rows(x);
  runtime::set_threads(3);
  EXPECT_TRUE(sum_of_rows(x).equal(alone));
  runtime::set_threads(before);
}

}  // namespace
}  // namespace contrastive::nn
