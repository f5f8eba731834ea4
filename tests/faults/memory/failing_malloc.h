// A malloc that counts allocations while it is armed, and makes some of them fail. Linked into the
// program, it replaces the C library's malloc for every library in the process, so operator new,
// LibTorch's allocator and the C library's own functions all use it.
#pragma once

#include <cstdint>

namespace contrastive::faults {

enum class Fault {
  kOnlyNth,  // one allocation fails, those after it succeed again
  kFromNth,  // all later ones fail too
};

// Makes the allocation with this number (the first is 1) fail, on any thread.
void arm(Fault fault, int64_t nth);
// The stack of the first allocation that failed since arm(), as backtrace() gives it; returns its
// length, 0 if none has failed.
int first_failure(void*** frames);

// Makes every allocation succeed again. Returns the number of allocations since arm().
int64_t disarm();

}  // namespace contrastive::faults
