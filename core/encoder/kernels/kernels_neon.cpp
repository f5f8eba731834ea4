// The kernels for arm64 processors, all of which have NEON. Only the vector type is said here; what
// is computed stands in the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

#if defined(__aarch64__)
#include <arm_neon.h>

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_neon.inl"

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  const uint32x4_t few = vreinterpretq_u32_u64(vmull_n_u32(vget_low_u32(x), m)),
                   more = vreinterpretq_u32_u64(vmull_high_n_u32(x, m));
  low = vuzp1q_u32(few, more);
  high = vuzp2q_u32(few, more);
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  constexpr UInts kBits = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(vcgeq_u32(x, vdupq_n_u32(threshold)), kBits));
}

#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"
#include "core/encoder/kernels/linear.inl"
#include "core/encoder/kernels/layer_norm.inl"
#include "core/encoder/kernels/attention.inl"
#include "core/encoder/kernels/training_rows.inl"
#include "core/encoder/kernels/training_attention.inl"
#include "core/encoder/kernels/philox.inl"
#include "core/encoder/kernels/row_products.inl"

}  // namespace

const KernelTable kNeon{"neon",
                        kLanes,
                        kRows,
                        linear,
                        attention,
                        layer_norm,
                        activate,
                        {norm, norm_backward, activation, attention_of_text,
                         attention_backward_of_text, scale_shift, drop, column_sums, draw_mask}};

const RowKernels kNeonRows{"neon", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels

#endif
