#include "core/system/stack.h"

#include <pthread.h>

namespace contrastive::system {

StackRange own_stack() noexcept {
  const auto high = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  return {high - pthread_get_stacksize_np(pthread_self()), high};
}

}  // namespace contrastive::system
