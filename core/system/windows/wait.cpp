#include "core/system/wait.h"

#include "core/system/windows/native.h"

namespace contrastive::system {

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) noexcept {
  ::WaitOnAddress(&word, &value, sizeof(value), INFINITE);
}

void wake(std::atomic<uint32_t>& word, int most) noexcept {
  if (most == 1) ::WakeByAddressSingle(&word);
  else ::WakeByAddressAll(&word);
}

}  // namespace contrastive::system
