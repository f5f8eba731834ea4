// bfloat16 for arm64 processors with BFDOT.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+bf16")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_neon.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 8;
using Group = bfloat16x8_t;

inline Group group_of(const uint8_t* x) { return vreinterpretq_bf16_u8(vld1q_u8(x)); }
inline Vec dot(Vec sums, Group x, int32_t weight) {
  return vbfdotq_f32(sums, x, vreinterpretq_bf16_s32(vdupq_n_s32(weight)));
}

#include "core/encoder/kernels/narrow_bfloat16.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kBfloat16Neon{"neon-bf16", kFormat, &kNeon, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
