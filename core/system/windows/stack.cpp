#include "core/system/stack.h"

#include "core/system/windows/native.h"

namespace contrastive::system {

StackRange own_stack() noexcept {
  constexpr uintptr_t kGuard = 4 * 4096;  // the guard page, and what the system needs to report it
  ULONG_PTR low = 0, high = 0;
  ::GetCurrentThreadStackLimits(&low, &high);
  return {low + kGuard, high};
}

}  // namespace contrastive::system
