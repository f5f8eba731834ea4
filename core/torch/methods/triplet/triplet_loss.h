// The triplet loss (Hermans et al., 2017; sentence-transformers' TripletLoss): a negative must be
// further from its anchor than the positive is, by a margin.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::methods {

enum class Distance { kEuclidean, kCosine, kManhattan };

// [n, d] each -> [n]: |a - b|, 1 - cos(a, b), or the sum of |a_k - b_k|. The gradient is 0 if the
// two vectors are equal.
at::Tensor pair_distances(const at::Tensor& a, const at::Tensor& b, Distance distance);

struct TripletVectors {
  at::Tensor anchors, positives;  // [n, d]
  at::Tensor negatives;           // [m, d]
  at::Tensor owners;              // int64 [m]: the anchor that each negative belongs to
};

// The mean over the m negatives of max(0, D(a, p) - D(a, x) + margin), with a and p of its owner.
// Without negatives it is exactly 0, with gradient 0. float16 and bfloat16 are computed in float32;
// float64 stays.
at::Tensor triplet_loss(const TripletVectors& triplets, Distance distance, double margin);

}  // namespace contrastive::methods
