// The kernels of products in few bits: states and weights are rounded to int8 or bfloat16,
// multiplied, and added up in 32 bits. The steps between the products (norms, activations,
// attention, sums of states) stay in float32 and are in encode.h. Each build works on the token
// panels of one of the builds there.
//
// Narrow panels: the rounded states of `lanes` tokens as [width / group][lanes][group], where a
// group fills 32 bits: four numbers of int8, two of bfloat16. A product broadcasts 32 bits of a
// weight matrix to the panel's tokens, so weights stay in rows.
//
// int8 rounds a row of weights to scale * byte with bytes from -127 to 127, and a token to scale *
// (byte - zero) with bytes from 0 to 255, where each token has its own `zero`: states are seldom as
// far below 0 as above it, after GELU hardly at all, so the step is half as wide. Sums of products
// are whole numbers and the same in every build; builds whose instruction needs signed bytes of a
// token store them minus 128. The rows' sums remove what `zero` added. A token that holds NaN or
// infinity gets the scale NaN, and so every number computed from it is NaN.
#pragma once

#include <cstdint>

#include "core/cpu/encode.h"

namespace contrastive::cpu {

enum class Narrow { kInt8, kBfloat16 };

inline int64_t bytes_each(Narrow narrow) { return narrow == Narrow::kInt8 ? 1 : 2; }
// A row of weights, padded with zeros to whole cache lines.
inline int64_t row_bytes(Narrow narrow, int64_t in) {
  return (in * bytes_each(narrow) + 63) / 64 * 64;
}

// Rounds `panels` token panels.
struct NarrowTask {
  const float* x = nullptr;  // panel p begins at x + p * x_stride: [width][lanes]
  int64_t x_stride = 0;
  // Panel p at out + p * out_stride, as described above. Numbers after the width are 0.
  uint8_t* out = nullptr;
  int64_t out_stride = 0;
  float* scales = nullptr;   // [panels][lanes]; this and the next for int8 only
  int32_t* zeros = nullptr;  // [panels][lanes]
  int64_t panels = 0, width = 0;
};

struct NarrowLinearTask : ProductTask {
  const uint8_t* x = nullptr;  // panel p at x + p * x_stride
  int64_t x_stride = 0;
  const float* x_scales = nullptr;   // [panels][lanes]; this and the next for int8 only
  const int32_t* x_zeros = nullptr;  // [panels][lanes]
  const uint8_t* weight = nullptr;   // row r at weight + r * weight_stride, in whole groups
  int64_t weight_stride = 0;
  const float* weight_scales = nullptr;  // [out]; int8 only
  const int32_t* weight_sums = nullptr;  // [out] the sum of each row's bytes; int8 only
};

struct NarrowKernels {
  const char* name;  // of the instruction set
  Narrow format;
  const EncodeKernels* floats;  // the build whose panels these kernels read and write
  int64_t row_grain;            // rows of a weight matrix that linear() computes at a time
  void (*narrow)(const NarrowTask&);
  void (*linear)(const NarrowLinearTask&);

  // Bytes of one panel.
  int64_t panel_bytes(int64_t width) const {
    return (width * bytes_each(format) + 3) / 4 * 4 * floats->lanes;
  }
};

}  // namespace contrastive::cpu
