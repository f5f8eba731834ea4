// The program's own malloc: it counts allocations while it is armed, and lets some of them fail.
// Linked into the program, it stands before the C library's for every library in the process;
// operator new, LibTorch's allocator and the C library's own functions all come through here.
#pragma once

#include <cstdint>

namespace contrastive::faults {

enum class Fault {
  kOnlyNth,  // one allocation fails, those after it succeed again
  kFromNth,  // memory is gone for good
};

// From now on the allocation with this number (the first is 1), made on any thread, fails.
void arm(Fault fault, int64_t nth);
// The stack of the first allocation that failed since arm(), as backtrace() gives it; its length, 0
// where none has failed.
int first_failure(void*** frames);

// Every allocation succeeds again. The number of allocations since arm().
int64_t disarm();

}  // namespace contrastive::faults
