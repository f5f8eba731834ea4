// int8 for arm64 processors with a dot product of bytes (SDOT).
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_neon.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 8;
constexpr bool kUnsignedTokens = false;
using Group = int8x16_t;

inline Group group_of(const uint8_t* x) { return vreinterpretq_s8_u8(vld1q_u8(x)); }
inline Ints dot(Ints sums, Group x, int32_t weight) {
  return vdotq_s32(sums, x, vreinterpretq_s8_s32(vdupq_n_s32(weight)));
}
inline Ints rounded(Vec x) { return vcvtnq_s32_f32(x); }

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8NeonDot{"neon-dot", kFormat, &kNeon, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
