// BFDOT extends NEON by a bfloat16 dot product.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <arm_neon.h>

namespace contrastive::cpu {
namespace {

#include "core/cpu/vectors_neon.inl"
#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"

constexpr int kNarrowRows = 8;
using Group = bfloat16x8_t;

inline Group group_of(const uint8_t* x) { return vreinterpretq_bf16_u8(vld1q_u8(x)); }
inline Vec dot(Vec sums, Group x, int32_t weight) {
  return vbfdotq_f32(sums, x, vreinterpretq_bf16_s32(vdupq_n_s32(weight)));
}

#include "core/cpu/narrow_bfloat16.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kBfloat16{kNeonBf16.name, kFormat, &kNeonEncode,
                                  kNarrowRows,    narrow,  narrow_linear};

}  // namespace

extern const Kernels kNeonBf16Kernels{nullptr, nullptr, &kBfloat16, nullptr, nullptr, nullptr};

}  // namespace contrastive::cpu
