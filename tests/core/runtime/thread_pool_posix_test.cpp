// The thread pool in forked processes, its signals, and the processor time of who waits.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

#include "core/runtime/thread_pool.h"
#include "core/system/thread.h"
#include "tests/core/runtime/four_threads.h"

namespace contrastive::runtime {
namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST_F(ThreadPool, WhoeverWaitsSleeps) {
  parallel_for(64, [](int64_t) {});
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // The caller, or the threads without an item, wait for the slow item.
  parallel_for(2, [](int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  EXPECT_LT(cpu_seconds() - before, 0.06);
}

TEST_F(ThreadPool, AForkedChildGetsAPoolOfItsOwn) {
  parallel_for(16, [](int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> done{0};
    parallel_for(16, [&](int64_t) { ++done; });
    _exit(done == 16 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The host's signal handlers run on the host's threads, and its stack limit does not apply to
// threads of the pool.
TEST_F(ThreadPool, ItsThreadsTakeNoSignalAndHaveRoom) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "ThreadSanitizer ends a child whose threads have the same numbers as its parent's "
         "(dup thread with used id)";
#endif
  const pid_t child = fork();  // whose pool has no thread yet
  if (child == 0) {
    alarm(60);
    pthread_attr_t tiny;
    pthread_attr_init(&tiny);
    if (pthread_attr_setstacksize(&tiny, 256 * 1024) != 0 || pthread_setattr_default_np(&tiny) != 0)
      _exit(2);  // as ulimit -s would
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    std::atomic<int> here{0}, wrong{0};
    const pthread_t caller = pthread_self();
    parallel_for(4, [&](int64_t) {
      for (++here; here < 4;) sched_yield();  // so that each item has its own thread
      if (pthread_equal(pthread_self(), caller)) return;
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPROF, SIGALRM, SIGCHLD, SIGRTMIN})
        wrong += sigismember(&mask, signal) == 1 ? 0 : 1;
      for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        wrong += sigismember(&mask, fault);  // which a runtime may turn into exceptions
      pthread_attr_t own;
      size_t stack = 0;
      if (pthread_getattr_np(pthread_self(), &own) != 0 ||
          pthread_attr_getstacksize(&own, &stack) != 0 || stack < system::kLeastStack)
        ++wrong;
    });
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
      wrong += sigismember(&before, signal) == sigismember(&after, signal) ? 0 : 1;
    _exit(here == 4 && wrong == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// After a fork() during calls of other threads, the child does not wait for anything that only the
// parent has.
TEST_F(ThreadPool, AForkBesideCallersLeavesNothingBehind) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "ThreadSanitizer ends a child whose threads have the same numbers as its parent's "
         "(dup thread with used id)";
#endif
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      while (!stop) parallel_for(8, [](int64_t) {});
    });
  }
  for (int round = 0; round < 30; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      std::atomic<int> done{0};
      parallel_for(64, [&](int64_t) { ++done; });
      _exit(done == 64 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace contrastive::runtime
