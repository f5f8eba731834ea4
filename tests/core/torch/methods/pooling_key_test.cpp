#include "core/torch/methods/pooling_key.h"

#include <gtest/gtest.h>

#include "tests/core/base/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(PoolingKey, ErrorsNameTheKey) {
  EXPECT_EQ(parse_pooling_key("clsr.pooling", "mean").reduce, encoder::Reduce::kMean);
  EXPECT_EQ(parse_pooling_key("clsr.pooling", "layer:900:cls").layers, std::vector<int64_t>{900});
  test::expect_error(Status::kArgument, "clsr.pooling",
                     [] { parse_pooling_key("clsr.pooling", "maen"); });
  test::expect_error(Status::kArgument, "clsr.pooling",
                     [] { parse_pooling_key("clsr.pooling", "layer:3:cls", 2); });
}

}  // namespace
}  // namespace contrastive::methods
