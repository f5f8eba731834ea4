// The classification loss on pairs of sentence vectors (SBERT; ConSERT, equation 2): a linear map
// of features of the two vectors predicts how the texts are related, as in natural language
// inference.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace contrastive::objectives {

// The features: u and v themselves (2 d), |u - v|, u * v, max(u, v)^2 (d each). Several are
// concatenated in order.
enum class PairFeature { kBoth, kDifference, kProduct, kMaxSquare };
inline int64_t blocks_of(PairFeature feature) { return feature == PairFeature::kBoth ? 2 : 1; }

// The names are "uv", "absdiff", "mul", "maxsq". kArgument names `key` for an unknown name, a
// repeated name, or no name.
std::vector<PairFeature> parse_pair_features(const std::vector<std::string>& names,
                                             const std::string& key);

at::Tensor pair_features(
    const at::Tensor& u, const at::Tensor& v,
    const std::vector<PairFeature>& features);  // [n, d] each -> [n, blocks * d]

// The mean over n of the cross entropy of W f + b with the labels. u, v: [n, d]; labels: int64 [n],
// below the number of classes; weight [classes, blocks * d], bias [classes]. float16 and bfloat16
// are computed in float32; float64 stays.
at::Tensor pair_cross_entropy(const at::Tensor& u, const at::Tensor& v, const at::Tensor& labels,
                              const at::Tensor& weight, const at::Tensor& bias,
                              const std::vector<PairFeature>& features);

}  // namespace contrastive::objectives
