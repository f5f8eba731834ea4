#include "core/torch/methods/sg_opt/layer_sampler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

std::vector<int> counts(const LayerSampler& sampler, int layers, int draws, uint64_t epoch = 0,
                        int64_t column = 0) {
  std::vector<int> count(static_cast<size_t>(layers));
  for (int i = 0; i < draws; ++i)
    ++count[static_cast<size_t>(sampler.draw(epoch, static_cast<uint64_t>(i), column))];
  return count;
}

// Chi-square of counts against probabilities; the degrees of freedom are the number of layers with
// a probability above 0, minus 1.
double chi_square(const std::vector<int>& count, const std::vector<double>& shares, int draws) {
  double sum = 0;
  for (size_t i = 0; i < count.size(); ++i) {
    if (shares[i] > 0) sum += std::pow(count[i] - shares[i] * draws, 2) / (shares[i] * draws);
  }
  return sum;
}

TEST(LayerSampler, UniformOverAllLayers) {
  const LayerSampler sampler(13, {}, 7);
  const std::vector<double> shares(13, 1.0 / 13);
  for (const uint64_t epoch : {0, 1, 5}) {
    for (const int64_t column : {0, 1})
      EXPECT_LT(chi_square(counts(sampler, 13, 26000, epoch, column), shares, 26000),
                32.9);  // p = 0.001
  }
}

TEST(LayerSampler, WeightsAreShares) {
  const LayerSampler sampler(4, {1, 0, 5, 2}, 3);
  const std::vector<int> count = counts(sampler, 4, 16000);
  EXPECT_EQ(count[1], 0);
  EXPECT_LT(chi_square(count, {0.125, 0, 0.625, 0.25}, 16000), 13.8);  // p = 0.001
  const LayerSampler last_never(2, {3, 0}, 3);
  EXPECT_EQ(counts(last_never, 2, 4000)[1], 0);
}

TEST(LayerSampler, IsAFunctionOfSeedEpochExampleAndColumn) {
  const LayerSampler sampler(13, {}, 7), again(13, {}, 7), other(13, {}, 8);
  int same_seed = 0, same_epoch = 0, same_column = 0;
  for (uint64_t i = 0; i < 1300; ++i) {
    EXPECT_EQ(sampler.draw(2, i, 0), again.draw(2, i, 0));
    same_seed += sampler.draw(2, i, 0) == other.draw(2, i, 0) ? 1 : 0;
    same_epoch += sampler.draw(2, i, 0) == sampler.draw(3, i, 0) ? 1 : 0;
    same_column += sampler.draw(2, i, 0) == sampler.draw(2, i, 1) ? 1 : 0;
  }
  for (const int same : {same_seed, same_epoch, same_column})
    EXPECT_NEAR(same, 100, 45);  // by chance
}

TEST(LayerSampler, RefusesWeightsThatDoNotFit) {
  expect_error(Status::kArgument, "2 weights for 3 layers: one each is needed",
               [&] { LayerSampler(3, {1, 1}, 1); });
  expect_error(Status::kArgument, "the weights of the layers add up to 0",
               [&] { LayerSampler(2, {0, 0}, 1); });
}

}  // namespace
}  // namespace contrastive::methods
