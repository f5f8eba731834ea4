// SDOT extends NEON by an int8 dot product.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <arm_neon.h>

namespace contrastive::cpu {
namespace {

#include "core/cpu/vectors_neon.inl"
#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"

constexpr int kNarrowRows = 8;
constexpr bool kUnsignedTokens = false;
using Group = int8x16_t;

inline Group group_of(const uint8_t* x) { return vreinterpretq_s8_u8(vld1q_u8(x)); }
inline Ints dot(Ints sums, Group x, int32_t weight) {
  return vdotq_s32(sums, x, vreinterpretq_s8_s32(vdupq_n_s32(weight)));
}
inline Ints rounded(Vec x) { return vcvtnq_s32_f32(x); }

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kNeonDot.name, kFormat, &kNeonEncode,
                              kNarrowRows,   narrow,  narrow_linear};

}  // namespace

extern const Kernels kNeonDotKernels{nullptr, &kInt8, nullptr, nullptr, nullptr, nullptr};

}  // namespace contrastive::cpu
