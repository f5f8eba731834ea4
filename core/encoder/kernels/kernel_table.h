// The CPU's kernels and the choice among their builds. Each build (AVX-512 and AVX2, or NEON, and
// baseline) compiles the same sources in this folder for another kind of vectors, so that one
// binary runs on every x86-64, or every arm64, and uses what the processor has. Nothing here
// allocates, throws or starts threads.
//
// Token panels: a state of `width` numbers for each token is kept as [panels][width][lanes], where
// `lanes` tokens (as many as a vector register holds) lie side by side. Products broadcast a weight
// to a panel's tokens, so the weights stay as the checkpoint has them, [out][in] and unpacked:
// nothing is copied at loading, nothing is stale after training. Every token is computed with the
// same operations in the same order wherever it stands, so its result does not depend on the batch;
// only the tail of a very small batch is summed in another order (LinearTask::tail). Lanes behind
// the last token hold finite numbers that nobody reads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encoder/kernels/training_kernels.h"
#include "core/encoder/architecture.h"

namespace contrastive::encoder::kernels {

// y[out rows begin..end) = activation(W x + bias) + residual, for every panel: what a product
// gives, however W and x are kept.
struct ProductTask {
  const float* bias = nullptr;  // [out] or nullptr
  const float* residual =
      nullptr;  // panel p at residual + p * residual_stride: [out][lanes]; or nullptr
  int64_t residual_stride = 0;
  float* y = nullptr;  // panel p at y + p * y_stride: [out][lanes]; not x
  int64_t y_stride = 0;
  int64_t panels = 0, in = 0;
  int64_t begin = 0, end = 0;  // the rows to compute
  bool activate = false;
  Activation activation = Activation::kGeluErf;
};

struct LinearTask : ProductTask {
  const float* x = nullptr;  // panel p begins at x + p * x_stride: [in][lanes]
  int64_t x_stride = 0;
  const float* weight = nullptr;  // [out][in]
  // Above 0: the last panel holds only so many tokens (at most lanes / 2), worth a product token by
  // token; `tail_x` is scratch of tail * in floats.
  int64_t tail = 0;
  float* tail_x = nullptr;
};

// out = softmax(scale q k^T + bias) v within each text, for the heads [head_begin, head_end).
struct AttentionTask {
  const float* q = nullptr;  // panel p at q + p * stride, [hidden][lanes]; k and v likewise
  const float* k = nullptr;
  const float* v = nullptr;
  int64_t stride = 0;
  float* out = nullptr;  // panel p at out + p * out_stride: [hidden][lanes]
  int64_t out_stride = 0;
  const int64_t* offsets = nullptr;  // [texts + 1]
  int64_t texts = 0;
  int64_t head_begin = 0, head_end = 0, head_width = 0;
  float scale = 0;  // 0 = head_width^-1/2
  // Or nullptr: head h adds bias[h * bias_stride + query - key] for each pair of tokens; that can
  // be read from -(longest text + lanes) to as far above 0.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
  float* scores = nullptr;  // scratch of attention_scratch() floats
};

// x = (x - mean) / sqrt(var + eps) * gain + shift over the width of each token, for `panels` panels
// one after the other.
struct LayerNormTask {
  float* x = nullptr;            // [panels][width][lanes]
  const float* gain = nullptr;   // [width]
  const float* shift = nullptr;  // [width] or nullptr for 0
  double eps = 0;
  int64_t panels = 0, width = 0;
  float* out = nullptr;  // [panels][width][lanes]; nullptr: in place
};

struct KernelTable {
  const char* name;
  int64_t lanes;
  int64_t row_grain;  // rows of a weight matrix that linear() computes at a time
  void (*linear)(const LinearTask&);
  void (*attention)(const AttentionTask&);
  void (*layer_norm)(const LayerNormTask&);
  void (*activate)(Activation, float* x, int64_t vectors);  // in place, vectors of `lanes` numbers
  TrainingKernels training;

  int64_t panels(int64_t tokens) const { return (tokens + lanes - 1) / lanes; }
  int64_t attention_scratch(int64_t longest) const { return 2 * lanes * (longest + 2 * lanes); }
};

extern const KernelTable kBaseline;
extern const KernelTable kAvx2;  // x86-64 only, as the next
extern const KernelTable kAvx512;
extern const KernelTable kNeon;  // arm64 only

// The widest build that this processor runs.
const KernelTable& best_kernels();
// All builds that it runs: for tests.
std::vector<const KernelTable*> usable_kernels();

}  // namespace contrastive::encoder::kernels
