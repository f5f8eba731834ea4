// Kernels for arm64 processors, all of which have NEON. These int8 products are for processors
// without a dot product of bytes.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <arm_neon.h>

namespace contrastive::cpu {
namespace {

constexpr const char* kName = kNeon.name;

#include "core/cpu/vectors_neon.inl"

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

#include "core/cpu/float_kernels.inl"

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

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kName, kFormat, &kNeonEncode, kNarrowRows, narrow, narrow_linear};

}  // namespace

const EncodeKernels kNeonEncode = kEncode;

extern const Kernels kNeonKernels{&kNeonEncode, &kInt8, nullptr, &kTraining, &kUpdate, &kScores};

}  // namespace contrastive::cpu
