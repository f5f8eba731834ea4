#include "core/host/stack.h"

#include <pthread.h>

#include <cstdint>

namespace contrastive::host {
namespace {

struct Stack {
  uintptr_t low = 0, high = 0;  // equal where unknown
};

Stack own_stack() noexcept {
  Stack stack;
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

}  // namespace

size_t stack_left() noexcept {
  // Asked once for each thread: for the first thread the answer is in a file.
  thread_local const Stack stack = own_stack();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < stack.low || here >= stack.high ? SIZE_MAX : here - stack.low;
}

}  // namespace contrastive::host
