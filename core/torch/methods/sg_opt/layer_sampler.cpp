#include "core/torch/methods/sg_opt/layer_sampler.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::methods {

LayerSampler::LayerSampler(int64_t layers, const std::vector<double>& weights, uint64_t seed)
    : upto_(weights), seed_(seed) {
  if (upto_.empty()) upto_.assign(static_cast<size_t>(layers), 1);
  check(static_cast<int64_t>(upto_.size()) == layers, Status::kArgument, upto_.size(),
        " weights for ", layers, " layers: one each is needed");
  std::partial_sum(upto_.begin(), upto_.end(), upto_.begin());
  const double total = upto_.back();
  check(total > 0, Status::kArgument, "the weights of the layers add up to ", total,
        ": at least one must be above 0");
  for (double& share : upto_) share /= total;
}

int64_t LayerSampler::draw(uint64_t epoch, uint64_t example, int64_t column) const {
  Rng rng(seed_, Purpose::kLayerSampler, epoch, example);
  for (int64_t i = 0; i < column; ++i) rng.uniform();
  // The first layer whose share reaches beyond the draw: one of weight 0 never is.
  return std::upper_bound(upto_.begin(), upto_.end() - 1, rng.uniform()) - upto_.begin();
}

}  // namespace contrastive::methods
