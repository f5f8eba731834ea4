#include "core/torch/objectives/pair_cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/nll_loss.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/torch/tensors/products.h"

namespace contrastive::objectives {

std::vector<PairFeature> parse_pair_features(const std::vector<std::string>& names,
                                             const std::string& key) {
  static const std::vector<std::string> kNames = {"uv", "absdiff", "mul",
                                                  "maxsq"};  // in the order of PairFeature
  std::vector<PairFeature> features;
  for (const std::string& name : names) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    check(found != kNames.end(), Status::kArgument, "config key '", key,
          "': ", unknown_name("pair feature", name, kNames));
    const auto feature = static_cast<PairFeature>(found - kNames.begin());
    check(std::find(features.begin(), features.end(), feature) == features.end(), Status::kArgument,
          "config key '", key, "': ", name, " occurs twice");
    features.push_back(feature);
  }
  check(!features.empty(), Status::kArgument, "config key '", key,
        "' names no feature: the classifier would have nothing to read");
  return features;
}

at::Tensor pair_features(const at::Tensor& u, const at::Tensor& v,
                         const std::vector<PairFeature>& features) {
  std::vector<at::Tensor> blocks;
  for (const PairFeature feature : features) {
    switch (feature) {
      case PairFeature::kBoth: blocks.insert(blocks.end(), {u, v}); break;
      case PairFeature::kDifference: blocks.push_back((u - v).abs()); break;
      case PairFeature::kProduct: blocks.push_back(u * v); break;
      case PairFeature::kMaxSquare: blocks.push_back(at::maximum(u, v).square()); break;
    }
  }
  return at::cat(blocks, 1);
}

at::Tensor pair_cross_entropy(const at::Tensor& u, const at::Tensor& v, const at::Tensor& labels,
                              const at::Tensor& weight, const at::Tensor& bias,
                              const std::vector<PairFeature>& features) {
  const auto type = u.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor f = pair_features(u.to(type), v.to(type), features);
  check(weight.dim() == 2 && weight.size(1) == f.size(1), Status::kMismatch,
        "the classifier reads ", weight.size(-1), " features, not ", f.size(1));
  return at::nll_loss(at::log_softmax(tensors::linear(f, weight.to(type), bias.to(type)), 1),
                      labels.to(u.device()));
}

}  // namespace contrastive::objectives
