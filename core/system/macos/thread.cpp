#include "core/system/thread.h"

#include <stdlib.h>
#include <time.h>

namespace contrastive::system {

int64_t coarse_milliseconds() noexcept {
  return static_cast<int64_t>(::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1000000);
}

bool call_at_exit(void (*handler)()) noexcept { return ::atexit(handler) == 0; }

}  // namespace contrastive::system
