// Refuses a call on a thread with too little stack left. LibTorch and MKL use tens of kilobytes of
// stack at a time.
#pragma once

#include <cstddef>

namespace contrastive::runtime {

// The stack that calls of the C API need. Loading uses 59 KiB and training 79 KiB (measured by
// tests/capi/test_threads.c); the rest is reserved for larger shapes in LibTorch and for guard
// pages at the end of a host's stacks. contrastive.h documents both numbers.
constexpr size_t kStackOfCalls = 128 * 1024;
constexpr size_t kStackOfLibTorch = 256 * 1024;

// Throws kLimit if less than `bytes` of the calling thread's stack is left. Does nothing if the
// system cannot tell.
void need_stack(size_t bytes);

}  // namespace contrastive::runtime
