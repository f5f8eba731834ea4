// How much is left of the calling thread's stack. A host may start threads with small stacks, and a
// stack that overflows ends the process without a message.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::system {

struct StackRange {
  uintptr_t low = 0, high = 0;  // equal where unknown (a coroutine's stack)
};
// The part of the calling thread's stack that may be used.
StackRange own_stack() noexcept;

// Bytes; SIZE_MAX where the system cannot tell.
inline size_t stack_left() noexcept {
  // Asked once for each thread: on Linux, for the first thread the answer is in a file.
  thread_local const StackRange stack = own_stack();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < stack.low || here >= stack.high ? SIZE_MAX : here - stack.low;
}

}  // namespace contrastive::system
