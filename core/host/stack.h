// How much is left of the calling thread's stack. A host may start threads with small stacks, and a
// stack that overflows ends the process without a message.
#pragma once

#include <cstddef>

namespace contrastive::host {

// Bytes; SIZE_MAX where the system cannot tell (a coroutine's stack).
size_t stack_left() noexcept;

}  // namespace contrastive::host
