#include "core/system/stack.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace contrastive::system {
namespace {

// The stack of the process's first thread grows up to a limit. glibc gives its size by that limit,
// and musl by the pages that are in use so far.
size_t grown(size_t size) noexcept {
#ifndef __GLIBC__
  constexpr rlim_t kMost = rlim_t{1} << 30;
  rlimit limit{};
  if (::syscall(SYS_gettid) == ::getpid() && ::getrlimit(RLIMIT_STACK, &limit) == 0)
    return std::max(size, static_cast<size_t>(std::min(limit.rlim_cur, kMost)));
#endif
  return size;
}

}  // namespace

StackRange own_stack() noexcept {
  StackRange stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* low = nullptr;
  size_t size = 0, guard = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    pthread_attr_getguardsize(&attributes, &guard);
    stack.high = reinterpret_cast<uintptr_t>(low) + size;
    stack.low = stack.high - grown(size) + guard;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace contrastive::system
