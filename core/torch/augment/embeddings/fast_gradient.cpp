#include "core/torch/augment/embeddings/fast_gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

namespace contrastive::augment {

at::Tensor fast_gradient_step(const at::Tensor& gradient, const FastGradientOptions& options) {
  const at::Tensor g = gradient.detach();
  if (!options.normalize) return g * options.eps;
  const at::Tensor length =
      at::linalg_vector_norm(g, 2, at::IntArrayRef{1}, /*keepdim=*/true);  // [tokens, 1]
  return g * (options.eps / (length + 1e-10));
}

}  // namespace contrastive::augment
