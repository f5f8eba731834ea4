#include "core/system/thread.h"

#include <stdlib.h>
#include <time.h>

namespace contrastive::system {

int64_t coarse_milliseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

bool call_at_exit(void (*handler)()) noexcept {
#ifdef __GLIBC__
  // glibc's atexit() is linked into the library and calls __cxa_atexit(), which registers nothing
  // there (core/system/posix/library/static_destructors.cpp).
  const auto call = [](int, void* given) { reinterpret_cast<void (*)()>(given)(); };
  return ::on_exit(call, reinterpret_cast<void*>(handler)) == 0;
#else
  return ::atexit(handler) == 0;
#endif
}

}  // namespace contrastive::system
