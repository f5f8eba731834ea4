#include "core/system/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace contrastive::system {

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(std::atomic<uint32_t>& word, int most) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

}  // namespace contrastive::system
