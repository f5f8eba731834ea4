#include "core/runtime/threads.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "core/base/error.h"
#include "core/runtime/cpu_quota.h"
#include "core/system/processors.h"

namespace contrastive::runtime {

namespace {

int default_threads() {
  const char* named = std::getenv("OMP_NUM_THREADS");
  if (named != nullptr) {
    const int count = std::atoi(named);
    if (count >= 1) return std::min(count, kMaxThreads);
  }
  const int usable = system::usable_processors(), quota = cpu_quota();
  return std::min(quota > 0 ? std::min(usable, quota) : usable, kMaxThreads);
}

std::atomic<int> chosen{0};  // 0: the default, not determined yet
thread_local int limit = 0;  // of this thread; 0: none

int threads_of_process() {
  const int count = chosen.load(std::memory_order_relaxed);
  if (count > 0) return count;
  int none = 0;
  const int found = default_threads();
  return chosen.compare_exchange_strong(none, found) ? found : none;
}

}  // namespace

void set_threads(int count) {
  check(count >= 0 && count <= kMaxThreads, Status::kArgument, "threads is ", count, ": 1 to ",
        kMaxThreads, " are allowed, and 0 for the default");
  chosen.store(count);
}

ThreadLimit::ThreadLimit(int most) noexcept : before_(limit) {
  if (most > 0) limit = before_ > 0 ? std::min(before_, most) : most;
}

ThreadLimit::~ThreadLimit() { limit = before_; }

bool has_thread_limit() noexcept { return limit > 0; }

int threads() {
  const int count = threads_of_process();
  return limit > 0 ? std::min(limit, count) : count;
}

}  // namespace contrastive::runtime
