// Compiled with OpenMP.
#include "core/libtorch/openmp.h"

#include <ATen/Parallel.h>
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "core/base/helper_threads.h"
#include "core/base/log.h"
#include "core/runtime/stack.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

// Of MKL, inside libtorch_cpu.so: how many threads its products use when this thread calls them.
extern "C" __attribute__((weak)) int MKL_Set_Num_Threads_Local(int threads);  // C linkage: the name in lower case takes a pointer

namespace contrastive::libtorch {
namespace {

std::atomic<int> forks{0};  // between this process and the one that loaded the library

// The threads of a trial, which exist at the same time: they wait until all were asked for.
class Trial {
 public:
  // How many of `wanted` threads the system grants. When this returns they are gone, also for the limits that count them.
  static int granted(int wanted) {
    Trial trial;
    HelperThreads threads;
    while (threads.size() < wanted && threads.start([&trial] { trial.wait(); })) {
    }
    const auto count = static_cast<int>(threads.size());
    trial.release();
    threads.join();
    trial.wait_until_gone();
    return count;
  }

 private:
  void wait() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
    if (known_ < kKnown) ids_[known_++] = self;
    released_.wait(lock, [this] { return done_; });
  }

  void release() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    released_.notify_all();
  }

  // A joined thread counts for a moment more. The kernel forgets its number when it no longer does.
  void wait_until_gone() const {
    for (int i = 0; i < known_; ++i) {
      for (int tries = 0; tries < 10000 && (::syscall(SYS_tgkill, ::getpid(), ids_[i], 0) == 0 || errno != ESRCH); ++tries) std::this_thread::yield();
    }
  }

  static constexpr int kKnown = 1024;
  std::mutex mutex_;
  std::condition_variable released_;
  bool done_ = false;
  int known_ = 0;
  pid_t ids_[kKnown] = {};
};

// What this thread's OpenMP was settled to.
struct Settled {
  int wanted = 0;      // threads() then
  int team = 1;        // threads its team may have, this one included
  int forks = 0;
  bool lost = false;   // its team stayed behind in the parent
  bool alone = false;
};
thread_local Settled settled;

// A team grows and shrinks with each operation, and others start threads meanwhile: one that just fits today ends the process tomorrow.
constexpr int kSpareThreads = 8;

void compute_with(int count) {
  at::get_num_threads();  // LibTorch's own choice for this thread, made once, comes first and gives way
  omp_set_num_threads(count);
  if (MKL_Set_Num_Threads_Local != nullptr) MKL_Set_Num_Threads_Local(count);
}

}  // namespace

void settle_openmp() {
  runtime::need_stack(runtime::kStackOfLibTorch);
  static const int watching = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(watching);
  const int generation = forks.load(std::memory_order_relaxed);
  if (settled.forks != generation) {
    settled.lost = settled.lost || settled.team > 1;
    settled.forks = generation;
    settled.wanted = 0;
  }
  if (settled.alone) return;
  if (runtime::on_pool_thread()) {  // it works beside others: LibTorch uses this thread alone
    settled.alone = true;
    return compute_with(1);
  }
  const int wanted = runtime::threads();
  if (settled.wanted == wanted) return;
  settled.wanted = wanted;
  int count = wanted;
  if (settled.lost) {
    count = 1;
    log_warning("this process is a fork of one that had trained on this thread: LibTorch computes with one thread here. Train in a new thread, or "
                "fork before the first training");
  } else if (wanted > settled.team) {
    const int needed = 2 * (wanted - settled.team) + kSpareThreads;
    static std::mutex one_at_a_time;  // two trials would take each other's threads
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const int granted = Trial::granted(needed);
    if (granted < needed) {
      count = 1;
      log_warning("the system grants this process ", granted, " more threads where ", needed,
                  " are needed (a limit on processes or memory): LibTorch computes with one");
    }
  }
  compute_with(count);
  settled.team = std::max(settled.team, count);
}

}  // namespace contrastive::libtorch
