// Refuses a call on a thread whose stack is too small. LibTorch and MKL use tens of kilobytes of it
// at a time.
#pragma once

#include <cstddef>

namespace contrastive::runtime {

// What calls of the C API need: loading uses 59 KiB, training 79 KiB (tests/capi/test_threads.c
// measures); the rest is for LibTorch's larger shapes and for the pages that a host guards at the
// end of its stacks. contrastive.h names both.
constexpr size_t kStackOfCalls = 128 * 1024;
constexpr size_t kStackOfLibTorch = 256 * 1024;

// kLimit where the calling thread has less than `bytes` of its stack left. Nothing is refused where
// the system cannot tell.
void need_stack(size_t bytes);

}  // namespace contrastive::runtime
