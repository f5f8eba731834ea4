#include "core/torch/tensors/row_blocks.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/runtime/threads.h"

namespace contrastive::tensors {
namespace {

TEST(RowBlocks, CoverEveryRowOnce) {
  const int before = runtime::threads();
  runtime::set_threads(3);
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 5}, {700, 300}, {3, 100000}, {0, 4}}) {
    const at::Tensor x = at::rand({rows, columns});
    at::Tensor y = at::empty_like(x);
    for_row_blocks(x, [&](int64_t first, int64_t count) {
      at::Tensor part = y.narrow(0, first, count);
      at::log_softmax_out(part, x.narrow(0, first, count), 1);
    });
    EXPECT_TRUE(y.equal(at::log_softmax(x, 1))) << rows << " x " << columns;
  }
  runtime::set_threads(before);
}

}  // namespace
}  // namespace contrastive::tensors
