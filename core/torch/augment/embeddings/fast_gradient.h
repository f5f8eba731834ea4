// The adversarial view of ConSERT (section 3.2): Fast Gradient Value (Rozsa et al., 2016). The
// embeddings move in the direction that increases the supervised loss.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::augment {

struct FastGradientOptions {
  double eps = 1.0;  // length of a token's step; without `normalize` the factor of its gradient
  bool normalize = true;  // scale every token's gradient to length 1 first
};

// eps * g_t / (|g_t| + 1e-10) for each token t: a constant, without a graph. A token without
// gradient does not move. gradient, result: [tokens, hidden].
at::Tensor fast_gradient_step(const at::Tensor& gradient, const FastGradientOptions& options);

}  // namespace contrastive::augment
