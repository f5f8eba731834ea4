#include "core/system/processors.h"

#include <malloc.h>
#include <sched.h>
#include <sys/auxv.h>

#include <algorithm>
#include <thread>

namespace contrastive::system {

int usable_processors() noexcept {
  cpu_set_t allowed;
  const int count = ::sched_getaffinity(0, sizeof(allowed), &allowed) == 0
                        ? CPU_COUNT(&allowed)
                        : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(count, 1);
}

ArmCapabilities arm_capabilities() noexcept {
#ifdef __aarch64__
  return {::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2)};
#else
  return {};
#endif
}

void return_freed_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace contrastive::system
