// The kernels of an encoder's forward pass in float32, on token panels.
//
// Token panels: the states of `width` numbers for each token are stored as [panels][width][lanes],
// where `lanes` tokens (as many as a vector register holds) are side by side. Products broadcast a
// weight to a panel's tokens, so the weights stay as in the checkpoint, [out][in] and unpacked:
// nothing is copied at loading, and nothing is stale after training. Every token is computed with
// the same operations in the same order, whatever its position, so its result does not depend on
// the batch; only the tail of a very small batch is summed in another order (LinearTask::tail).
// Lanes after the last token hold finite numbers that are never used.
#pragma once

#include <cstdint>

#include "core/cpu/activation.h"

namespace contrastive::cpu {

// y[out rows begin..end) = activation(W x + bias) + residual, for every panel: the part of a
// product that does not depend on the format of W and x.
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
  // Above 0: the last panel holds only this many tokens (at most lanes / 2), which are multiplied
  // token by token; `tail_x` is scratch of tail * in floats.
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
  // Or nullptr. Head h adds bias[h * bias_stride + query - key] for each pair of tokens. Offsets
  // from -(longest text + lanes) to longest text + lanes must be readable.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
  float* scores = nullptr;  // scratch of EncodeKernels::attention_scratch() floats
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

struct EncodeKernels {
  const char* name;   // of the instruction set
  int64_t lanes;      // tokens of a panel
  int64_t row_grain;  // rows of a weight matrix that linear() computes at a time
  void (*linear)(const LinearTask&);
  void (*attention)(const AttentionTask&);
  void (*layer_norm)(const LayerNormTask&);
  void (*activate)(Activation, float* x, int64_t vectors);  // in place, vectors of `lanes` numbers

  int64_t panels(int64_t tokens) const { return (tokens + lanes - 1) / lanes; }
  int64_t attention_scratch(int64_t longest) const { return 2 * lanes * (longest + 2 * lanes); }
};

// The narrow kernels of other instruction sets use the panels of these. The first two exist on
// x86-64, the last one on arm64.
extern const EncodeKernels kAvx2Encode, kAvx512Encode, kNeonEncode;

}  // namespace contrastive::cpu
