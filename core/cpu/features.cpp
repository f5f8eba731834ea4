#include "core/cpu/features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/system/processors.h"

namespace contrastive::cpu {
namespace {

#if defined(__x86_64__)
Features found() {
  Features features;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return features;
  features.set(kLeaf1Ecx, ecx);
  if ((ecx >> 27 & 1) != 0) {  // OSXSAVE: XGETBV is allowed, and XCR0 says what the system saves
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    features.set(kXcr0, uint64_t{high} << 32 | low);
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return features;
  features.set(kLeaf7Ebx, ebx);
  features.set(kLeaf7Ecx, ecx);
  if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0)
    features.set(kLeaf7Sub1Eax, eax);
  return features;
}
#elif defined(__aarch64__)
Features found() {
  Features features;
  const system::ArmCapabilities found = system::arm_capabilities();
  features.set(kHwcap, found.first);
  features.set(kHwcap2, found.second);
  return features;
}
#else
Features found() { return Features(); }
#endif

}  // namespace

const Features& features() {
  static const Features of_this_processor = found();
  return of_this_processor;
}

}  // namespace contrastive::cpu
