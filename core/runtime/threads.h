// The number of threads that the library computes with: one number for the process and its thread
// pool, and a lower one for calls with a ThreadLimit. LibTorch computes with one thread
// (core/torch/tensors/openmp.h).
#pragma once

namespace contrastive::runtime {

// 1 to 1024, or 0 for the default; throws kArgument otherwise. Takes effect for calls that start
// later.
void set_threads(int count);
constexpr int kMaxThreads = 1024;
// Lets the calls of this thread use at most `most` threads as long as this object exists; 0 changes
// nothing. The smallest of several limits applies.
class ThreadLimit {
 public:
  explicit ThreadLimit(int most) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  const int before_;
};
// Whether this thread has a ThreadLimit.
bool has_thread_limit() noexcept;

// The number of threads for work of this thread: its limit, or the number of the process.
// The default is OMP_NUM_THREADS if it is set, otherwise the number of processors that this process
// may run on, but at most its CPU limit (cpu_quota.h).
int threads();

}  // namespace contrastive::runtime
