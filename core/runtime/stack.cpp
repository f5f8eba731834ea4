#include "core/runtime/stack.h"

#include <pthread.h>

#include <cstdint>

#include "core/base/error.h"

namespace contrastive::runtime {
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

void need_stack(size_t bytes) {
  thread_local const Stack stack =
      own_stack();  // asked once: for the first thread the answer is in a file
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < stack.low || here >= stack.high) return;
  const size_t left = here - stack.low;
  check(left >= bytes, Status::kLimit, "this thread has ", left / 1024,
        " KiB of its stack left and ", bytes / 1024,
        " are needed: call from a thread with a larger stack");
}

}  // namespace contrastive::runtime
