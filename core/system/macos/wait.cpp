// macOS has os_sync_wait_on_address() from version 14.4 on; these calls of the kernel, which
// std::atomic::wait() of libc++ uses, are older.
#include "core/system/wait.h"

extern "C" int __ulock_wait(uint32_t operation, void* address, uint64_t value,
                            uint32_t microseconds);
extern "C" int __ulock_wake(uint32_t operation, void* address, uint64_t value);

namespace contrastive::system {
namespace {

constexpr uint32_t kCompareAndWait = 1, kWakeAll = 0x100;

}  // namespace

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) noexcept {
  __ulock_wait(kCompareAndWait, &word, value, 0);
}

void wake(std::atomic<uint32_t>& word, int most) noexcept {
  __ulock_wake(kCompareAndWait | (most > 1 ? kWakeAll : 0), &word, 0);
}

}  // namespace contrastive::system
