#include "core/runtime/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "core/base/error.h"

namespace contrastive::runtime {

namespace {

constexpr int kMaxThreads = 1024;

int default_threads() {
  const char* named = std::getenv("OMP_NUM_THREADS");
  if (named != nullptr) {
    const int count = std::atoi(named);
    if (count >= 1) return std::min(count, kMaxThreads);
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::clamp(CPU_COUNT(&allowed), 1, kMaxThreads);
  return 1;
}

std::atomic<int>& chosen() {
  static std::atomic<int> count{default_threads()};
  return count;
}

}  // namespace

void set_threads(int count) {
  check(count >= 1 && count <= kMaxThreads, Status::kArgument, "threads is ", count, ": 1 to ", kMaxThreads, " are allowed");
  chosen().store(count);
}

int threads() { return chosen().load(std::memory_order_relaxed); }

}  // namespace contrastive::runtime
