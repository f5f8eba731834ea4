#include "core/torch/methods/pooling_key.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(PoolingKey, ErrorsNameTheKey) {
  EXPECT_EQ(parse_pooling_key("clsr.pooling", "mean").reduce, encoder::Reduce::kMean);
  EXPECT_EQ(parse_pooling_key("clsr.pooling", "layer:900:cls").layers, std::vector<int64_t>{900});
  expect_error(Status::kArgument, "clsr.pooling",
               [] { parse_pooling_key("clsr.pooling", "maen"); });
  expect_error(Status::kArgument, "clsr.pooling",
               [] { parse_pooling_key("clsr.pooling", "layer:3:cls", 2); });
}

}  // namespace
}  // namespace contrastive::methods
