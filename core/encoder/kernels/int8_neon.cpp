// int8 for arm64 processors without a dot product of bytes.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_neon.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 8;
constexpr bool kUnsignedTokens = false;
using Group = int8x16_t;

inline Group group_of(const uint8_t* x) { return vreinterpretq_s8_u8(vld1q_u8(x)); }
// Two products, each at most 128 * 127 in size, are added in 16 bits, where 32512 is exact.
inline Ints dot(Ints sums, Group x, int32_t weight) {
  const int8x16_t w = vreinterpretq_s8_s32(vdupq_n_s32(weight));
  return vpadalq_s16(sums,
                     vpaddq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w)));
}
inline Ints rounded(Vec x) { return vcvtnq_s32_f32(x); }

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8Neon{"neon", kFormat, &kNeon, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#endif
