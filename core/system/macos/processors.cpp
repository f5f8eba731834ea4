#include "core/system/processors.h"

#include <malloc/malloc.h>
#include <sys/sysctl.h>

#include <algorithm>
#include <thread>

namespace contrastive::system {
namespace {

bool has(const char* feature) {
  int value = 0;
  size_t size = sizeof(value);
  return ::sysctlbyname(feature, &value, &size, nullptr, 0) == 0 && value != 0;
}

}  // namespace

int usable_processors() noexcept {
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

ArmCapabilities arm_capabilities() noexcept {
  // The bits of Linux (arch/arm64/include/uapi/asm/hwcap.h).
  constexpr uint64_t kSha2 = uint64_t{1} << 6, kDot = uint64_t{1} << 20, kBf16 = uint64_t{1} << 14,
                     kI8mm = uint64_t{1} << 13;
  ArmCapabilities found;
  if (has("hw.optional.arm.FEAT_SHA256")) found.first |= kSha2;
  if (has("hw.optional.arm.FEAT_DotProd")) found.first |= kDot;
  if (has("hw.optional.arm.FEAT_BF16")) found.second |= kBf16;
  if (has("hw.optional.arm.FEAT_I8MM")) found.second |= kI8mm;
  return found;
}

void return_freed_memory() noexcept { ::malloc_zone_pressure_relief(nullptr, 0); }

}  // namespace contrastive::system
