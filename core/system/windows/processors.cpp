#include "core/system/processors.h"

#include <algorithm>

#include "core/system/windows/native.h"

namespace contrastive::system {

int usable_processors() noexcept {
  DWORD_PTR own = 0, all = 0;
  // The masks are those of one group of 64 processors; 0 where threads may run in several groups.
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all) != 0 && own != 0)
    return __builtin_popcountll(own);
  return std::max(static_cast<int>(::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)), 1);
}

ArmCapabilities arm_capabilities() noexcept { return {}; }

void return_freed_memory() noexcept { ::HeapCompact(::GetProcessHeap(), 0); }

}  // namespace contrastive::system
