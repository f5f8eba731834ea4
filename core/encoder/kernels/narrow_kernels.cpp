#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace contrastive::encoder::kernels {
namespace {

#if defined(__x86_64__)
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
// Not every compiler's __builtin_cpu_supports() knows this name. The system saves the registers
// where it does so for AVX2.
bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
}
#endif

}  // namespace

std::vector<const NarrowKernels*> usable_narrow_kernels(Narrow format) {
  std::vector<const NarrowKernels*> usable;
  if (format == Narrow::kInt8) usable.push_back(&kInt8Baseline);
#if defined(__x86_64__)
  if (format == Narrow::kBfloat16) {
    if (has_avx512() && __builtin_cpu_supports("avx512bf16")) usable.push_back(&kBfloat16Avx512);
    return usable;
  }
  if (has_avx2()) usable.push_back(&kInt8Avx2);
  if (has_avx_vnni()) usable.push_back(&kInt8AvxVnni);
  if (has_avx512() && __builtin_cpu_supports("avx512vnni")) usable.push_back(&kInt8Avx512Vnni);
#elif defined(__aarch64__)
  constexpr unsigned long kDotProducts = 1UL << 20,
                          kBfloat16s =
                              1UL << 14;  // HWCAP_ASIMDDP and HWCAP2_BF16, which old headers lack
  if (format == Narrow::kBfloat16) {
    if ((getauxval(AT_HWCAP2) & kBfloat16s) != 0) usable.push_back(&kBfloat16Neon);
    return usable;
  }
  usable.push_back(&kInt8Neon);
  if ((getauxval(AT_HWCAP) & kDotProducts) != 0) usable.push_back(&kInt8NeonDot);
#endif
  return usable;
}

const NarrowKernels* best_narrow_kernels(Narrow format) {
  static const NarrowKernels* const int8 = usable_narrow_kernels(Narrow::kInt8).back();
  static const NarrowKernels* const bfloat16 =
      usable_narrow_kernels(Narrow::kBfloat16).empty()
          ? nullptr
          : usable_narrow_kernels(Narrow::kBfloat16).back();
  return format == Narrow::kInt8 ? int8 : bfloat16;
}

}  // namespace contrastive::encoder::kernels
