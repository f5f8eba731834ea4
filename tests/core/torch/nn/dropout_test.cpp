// Dropout's masks have the right rate and scale, and depend only on the example.
#include "core/torch/nn/dropout.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/torch/nn/attention.h"
#include "tests/expect_error.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

Dropout sample(std::vector<uint64_t> examples) {
  Dropout dropout;
  dropout.hidden = 0.1;
  dropout.attention = 0.1;
  dropout.seed = 3;
  dropout.examples = std::move(examples);
  return dropout;
}

TEST(Dropout, DropsTheShareAskedForAndKeepsTheMean) {
  const at::Tensor x = at::ones({300, 100});
  const at::Tensor y = drop_hidden(x, {0, 100, 300}, sample({1, 2}), kEmbeddingSite);
  EXPECT_NEAR(y.eq(0).sum().item<double>() / 30000, 0.1,
              0.01);  // five standard deviations are 0.0087
  EXPECT_NEAR(y.max().item<double>(), 1 / 0.9, 1e-6);
  EXPECT_NEAR(y.mean().item<double>(), 1.0, 0.01);
}

TEST(Dropout, AnExamplesMaskDoesNotDependOnItsBatch) {
  const at::Tensor x = at::ones({50, 8});
  const at::Tensor together = drop_hidden(x, {0, 20, 50}, sample({7, 9}), 4);
  const at::Tensor alone = drop_hidden(x.slice(0, 0, 30), {0, 30}, sample({9}), 4);
  EXPECT_TRUE(together.slice(0, 20, 50).equal(alone));
  Architecture two_heads;
  two_heads.num_attention_heads = 2;
  const auto kept = [&](const std::vector<int64_t>& offsets, const Dropout& dropout) {
    return attention_kept({offsets, at::kCPU, true}, 2,
                          DropoutMasks(two_heads, offsets, dropout, at::kCPU), attention_site(1));
  };
  EXPECT_TRUE(kept({0, 20, 50}, sample({7, 9}))[0].slice(1, 0, 20).slice(2, 0, 20).equal(
      kept({0, 20}, sample({7}))[0]));
}

TEST(Dropout, SitesEpochsAndSeedsHaveMasksOfTheirOwn) {
  const at::Tensor x = at::ones({40, 16});
  const Dropout base = sample({1});
  Dropout later = base, seeded = base;
  later.epoch = 1;
  seeded.seed = 4;
  const at::Tensor mask = drop_hidden(x, {0, 40}, base, 1);
  EXPECT_TRUE(mask.equal(drop_hidden(x, {0, 40}, base, 1)));
  EXPECT_FALSE(mask.equal(drop_hidden(x, {0, 40}, base, 2)));
  EXPECT_FALSE(mask.equal(drop_hidden(x, {0, 40}, later, 1)));
  EXPECT_FALSE(mask.equal(drop_hidden(x, {0, 40}, seeded, 1)));
}

TEST(Dropout, ProbabilityOneIsRefused) {
  Dropout dropout = sample({1});
  dropout.hidden = 1.0;
  expect_error(Status::kArgument, "dropout probability is 1: it must be in [0, 1)",
               [&] { drop_hidden(at::ones({2, 2}), {0, 2}, dropout, 1); });
}

}  // namespace
}  // namespace contrastive::nn
