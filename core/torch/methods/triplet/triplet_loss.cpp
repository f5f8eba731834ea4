#include "core/torch/methods/triplet/triplet_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/relu.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/objectives/pair_scores.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {

at::Tensor pair_distances(const at::Tensor& a, const at::Tensor& b, Distance distance) {
  const at::Tensor x = objectives::at_least_float32(a), y = objectives::at_least_float32(b);
  switch (distance) {
    case Distance::kCosine: return 1 - (objectives::unit_rows(x) * objectives::unit_rows(y)).sum(1);
    case Distance::kManhattan: return (x - y).abs().sum(1);
    case Distance::kEuclidean: break;
  }
  return at::linalg_vector_norm(x - y, 2, at::IntArrayRef{1});
}

at::Tensor triplet_loss(const TripletVectors& t, Distance distance, double margin) {
  check(t.anchors.dim() == 2 && t.anchors.sizes() == t.positives.sizes() &&
            t.negatives.dim() == 2 && t.negatives.size(1) == t.anchors.size(1),
        Status::kMismatch, "triplets need vectors of one width, not ", t.anchors.sizes(), ", ",
        t.positives.sizes(), " and ", t.negatives.sizes());
  const int64_t m = t.negatives.size(0);
  check(t.owners.numel() == m, Status::kMismatch, "each of the ", m, " negatives needs its anchor");
  const at::Tensor owners = t.owners.to(t.anchors.device());
  const at::Tensor near =
      tensors::select_rows(pair_distances(t.anchors, t.positives, distance), owners);
  const at::Tensor far =
      pair_distances(tensors::select_rows(t.anchors, owners), t.negatives, distance);
  return at::relu(near - far + margin).sum() / static_cast<double>(std::max<int64_t>(m, 1));
}

}  // namespace contrastive::methods
