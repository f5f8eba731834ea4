#include "core/system/stack.h"

#include <pthread.h>

namespace contrastive::system {

StackRange own_stack() noexcept {
  StackRange stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* low = nullptr;
  size_t size = 0, guard = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    pthread_attr_getguardsize(&attributes, &guard);
    stack.low = reinterpret_cast<uintptr_t>(low) + guard;
    stack.high = reinterpret_cast<uintptr_t>(low) + size;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace contrastive::system
