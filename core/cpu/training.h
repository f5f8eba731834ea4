// The kernels of training: the steps between the matrix products of one layer, forward and
// backward, on plain rows [tokens][width]. The products themselves are LibTorch's. A caller hands
// out ranges of rows, and sums over tokens come out as one partial sum a range, so that they do not
// depend on the number of threads. The last two fit a classifier on frozen embeddings: products of
// a small weight matrix with rows anywhere in memory.
//
// Dropout masks are bits: bit i of a row is 1 where element i is kept. A null mask keeps
// everything.
#pragma once

#include <cstdint>

#include "core/cpu/activation.h"

namespace contrastive::cpu {

// The mask of one row or of one token's attention probabilities.
struct Mask {
  const uint64_t* bits = nullptr;  // [rows][words]
  int64_t words = 0;               // of one row
  float scale = 1;                 // 1 / (1 - p), for what is kept
};

// sum = dropout(y + bias) + residual
// normed = (sum - mean) / sqrt(var + eps)
// out = normed * gain + shift
struct NormTask {
  int64_t rows = 0, width = 0;
  double eps = 0;
  const float* y = nullptr;
  const float* bias = nullptr;      // [width] or nullptr
  const float* residual = nullptr;  // or nullptr
  Mask mask;
  const float* gain = nullptr;   // [width]
  const float* shift = nullptr;  // [width]
  float* normed = nullptr;       // may be y
  float* scale = nullptr;        // [rows] 1 / sqrt(var + eps)
  float* out = nullptr;
};

// Computes the gradients of the sum (which is also the residual's) and of y from the gradient of
// `out`, and the parameters' gradients as sums over these rows.
struct NormBackwardTask {
  int64_t rows = 0, width = 0;
  const float* grad_out = nullptr;
  const float* normed = nullptr;
  const float* scale = nullptr;
  const float* gain = nullptr;
  Mask mask;
  float* grad_sum = nullptr;   // may be grad_out
  float* grad_y = nullptr;     // or nullptr where it is not needed
  float* grad_gain = nullptr;  // [width] these three
  float* grad_shift = nullptr;
  float* grad_bias = nullptr;
};

// activated = act(x + bias); grad becomes the gradient of x, grad_bias its sum over the rows.
struct ActivationTask {
  int64_t rows = 0, width = 0;
  Activation activation = Activation::kGeluErf;
  const float* x = nullptr;
  const float* bias = nullptr;
  float* activated = nullptr;
  float* grad = nullptr;       // in: of `activated`; out: of x. nullptr: forward only
  float* grad_bias = nullptr;  // [width]
};

// One text and head: softmax(q k^T / sqrt(width)) under its mask, times v; and its backward pass.
// `stride`: distance of rows in floats.
struct TextAttentionTask {
  int64_t length = 0, width = 0;
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  const float* q_bias = nullptr;  // [width] these three
  const float* k_bias = nullptr;
  const float* v_bias = nullptr;
  int64_t stride = 0;  // of q, k, v and of their gradients
  Mask mask;           // row = query; this head's bits begin at bit `first_bit`
  int64_t first_bit = 0;
  float* log_sums =
      nullptr;  // [length] log of the softmax's denominator: written forward, read backward
  float* out = nullptr;  // forward
  const float* grad_out = nullptr;
  int64_t out_stride = 0;   // of out or grad_out
  float* grad_q = nullptr;  // backward
  float* grad_k = nullptr;
  float* grad_v = nullptr;
  float* scratch = nullptr;  // text_attention_scratch() floats
};

// y[row][o] = weight[o] . x[row] + bias[o]. The result of a row does not depend on the other rows.
struct RowProductsTask {
  int64_t rows = 0, in = 0, out = 0;
  const float* const* x = nullptr;  // [rows] pointers to `in` floats
  const float* weight = nullptr;    // [out][in]
  const float* bias = nullptr;      // [out]
  float* y = nullptr;               // [rows][out]
};

// grad_weight[o] = sum over the rows of grad_y[row][o] x[row].
struct WeightGradientTask {
  int64_t rows = 0, in = 0, out = 0;
  const float* const* x = nullptr;  // as above
  const float* grad_y = nullptr;    // [rows][out]
  float* grad_weight = nullptr;     // [out][in]
};

struct TrainingKernels {
  const char* name;  // of the instruction set
  void (*norm)(const NormTask&);
  void (*norm_backward)(const NormBackwardTask&);
  void (*activation)(const ActivationTask&);
  void (*attention)(const TextAttentionTask&);
  void (*attention_backward)(const TextAttentionTask&);
  // y = x * gain + shift, row by row.
  void (*scale_shift)(const float* x, const float* gain, const float* shift, int64_t rows,
                      int64_t width, float* y);
  // x = dropout(x) in place.
  void (*drop)(float* x, int64_t rows, int64_t width, const Mask& mask);
  // sums[width] = column sums of rows; `stride`: distance of rows in floats.
  void (*column_sums)(const float* x, int64_t rows, int64_t width, int64_t stride, float* sums);
  // bits[i] of `count` = (draw i of the Philox stream (key, example)) >= threshold; whole words are
  // written.
  void (*draw_mask)(uint64_t key, uint64_t example, uint32_t threshold, int64_t count,
                    uint64_t* bits);
  void (*row_products)(const RowProductsTask&);
  void (*weight_gradient)(const WeightGradientTask&);
};

// Enough for every build: operands padded to 16 lanes, and two blocks of probabilities.
constexpr int64_t kAttentionQueries = 64;  // query rows in work at a time
inline int64_t text_attention_scratch(int64_t length, int64_t width) {
  const int64_t keys = (length + 15) / 16 * 16, columns = (width + 15) / 16 * 16;
  return 6 * length * columns + 2 * columns * keys + 2 * kAttentionQueries * keys +
         2 * kAttentionQueries * columns;
}

}  // namespace contrastive::cpu
