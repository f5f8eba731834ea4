// The processors that this process may use, and what an arm64 processor can do.
#pragma once

#include <cstdint>

namespace contrastive::system {

// At least 1.
int usable_processors() noexcept;

// The words AT_HWCAP and AT_HWCAP2 of Linux on arm64, also where another system says the same in
// another way. 0 on other processors.
struct ArmCapabilities {
  uint64_t first = 0, second = 0;
};
ArmCapabilities arm_capabilities() noexcept;

// Gives memory that was freed back to the system, where the allocator keeps it.
void return_freed_memory() noexcept;

}  // namespace contrastive::system
