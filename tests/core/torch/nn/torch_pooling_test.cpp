// Every pooling on LibTorch's tensors against the same on rows, which
// tests/core/encoder/pooling_test.cpp tests, and its gradient.
#include "core/torch/nn/torch_pooling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/runtime/threads.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

// The reductions of all poolings that need no dense layer.
std::vector<Reduce> reductions() {
  std::vector<Reduce> all;
  for (const std::string& name : pooling_names()) {
    if (name == "cls-pooler" || name.rfind("layer:", 0) == 0) continue;
    all.push_back(parse_pooling(name, 2).reduce);
  }
  return all;
}

// Texts of many lengths: the second is empty, and of the last no token is kept.
const std::vector<int64_t> kOffsets{0, 3, 3, 40, 41, 98, 100};

std::vector<uint8_t> keep_most() {
  std::vector<uint8_t> keep(100, 1);
  keep[0] = keep[7] = keep[97] = keep[98] = keep[99] = 0;
  return keep;
}

TEST(TorchPooling, ReducesAsRowsAreReduced) {
  const std::vector<uint8_t> keep = keep_most();
  const at::Tensor states = at::rand({100, 33}) - 0.5;
  for (const Reduce reduce : reductions()) {
    for (const uint8_t* mask : {static_cast<const uint8_t*>(nullptr), keep.data()}) {
      std::vector<float> rows(6 * 33, NAN);
      reduce_tokens(reduce, states.const_data_ptr<float>(), 33, kOffsets.data(), 6, mask,
                    rows.data());
      const at::Tensor tensor = reduce_tokens(reduce, states, kOffsets, mask);
      EXPECT_LT((tensor - at::from_blob(rows.data(), {6, 33})).abs().max().item<double>(), 1e-5)
          << "reduction " << static_cast<int>(reduce);
    }
  }
}

// On any number of threads.
TEST(TorchPooling, TheGradientIsEachTokensWeight) {
  const std::vector<uint8_t> keep = keep_most();
  const int before = runtime::threads();
  for (const Reduce reduce : reductions()) {
    if (reduce == Reduce::kMax) continue;  // no sum
    const std::vector<float> weights =
        encoder::token_weights(reduce, kOffsets.data(), 6, keep.data());
    for (const int threads : {1, 3}) {
      runtime::set_threads(threads);
      const at::Tensor states = at::rand({100, 33}).requires_grad_(true), grad = at::rand({6, 33});
      reduce_tokens(reduce, states, kOffsets, keep.data()).backward(grad);
      for (size_t text = 0; text < 6; ++text) {
        for (int64_t t = kOffsets[text]; t < kOffsets[text + 1]; ++t) {
          EXPECT_TRUE(states.grad()[t].equal(grad[static_cast<int64_t>(text)] *
                                             weights[static_cast<size_t>(t)]))
              << t;
        }
      }
    }
  }
  runtime::set_threads(before);
}

}  // namespace
}  // namespace contrastive::nn
