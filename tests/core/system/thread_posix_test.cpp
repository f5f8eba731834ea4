#include "core/system/thread.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

sigset_t mask_while_creating;

}  // namespace

// Replaces the C library's function, to see which signals are blocked while a thread is created.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) noexcept {
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_while_creating);
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, body, argument);
}

namespace contrastive::system {
namespace {

void nothing(void*) {}
void* nothing_at_all(void*) { return nullptr; }

TEST(OwnThread, RunsItsBodyAndBlocksAllSignalsButFaults) {
  static sigset_t mask;
  const auto body = [](void* argument) {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    *static_cast<int*>(argument) = 7;
  };
  int number = 0;
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Thread thread;
  ASSERT_TRUE(start_own_thread(body, &number, ThreadEnd::kJoined, thread));
  join(thread);
  EXPECT_EQ(number, 7);
  // Not the last signals: qemu-user, which runs these tests for other processors, does not support
  // them in a mask.
  for (const int taken : {SIGINT, SIGTERM, SIGPWR, SIGXCPU, SIGRTMIN, SIGRTMIN + 8})
    EXPECT_TRUE(sigismember(&mask, taken)) << taken;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    EXPECT_FALSE(sigismember(&mask, fault)) << fault;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMAX; ++signal)
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
}

// Which of SIGPWR, SIGXCPU, two real-time signals and SIGTERM this thread blocks.
std::vector<int> blocked() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::vector<int> result;
  for (const int signal : {SIGPWR, SIGXCPU, SIGRTMIN, SIGRTMIN + 8, SIGTERM}) {
    if (sigismember(&mask, signal)) result.push_back(signal);
  }
  return result;
}

TEST(OwnThread, SignalsThatStopThreadsReachOneThatHasEnteredTheHost) {
  std::vector<int> result;
  const auto body = [](void* into) {
    enter_host();
    *static_cast<std::vector<int>*>(into) = blocked();
  };
  Thread thread;
  ASSERT_TRUE(start_own_thread(body, &result, ThreadEnd::kJoined, thread));
  join(thread);
  EXPECT_EQ(result, std::vector<int>{SIGTERM});
}

TEST(OwnThread, TheHostsOwnThreadsKeepTheirMask) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const std::vector<int> own = blocked();
  enter_host();
  EXPECT_EQ(blocked(), own);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(OwnThread, SignalsThatStopThreadsReachWhoStartsOne) {
  Thread thread;
  ASSERT_TRUE(start_own_thread(nothing, nullptr, ThreadEnd::kJoined, thread));
  const sigset_t mask = mask_while_creating;
  join(thread);
  for (const int stop : {SIGPWR, SIGXCPU, SIGRTMIN, SIGRTMIN + 5, SIGRTMAX})
    EXPECT_FALSE(sigismember(&mask, stop)) << stop;
  for (const int other : {SIGINT, SIGTERM, SIGCHLD, SIGPROF, SIGALRM})
    EXPECT_TRUE(sigismember(&mask, other)) << "its handler would run on the new thread";
}

// Stops threads as mono does: each gets a signal, reports that it has stopped, and waits for
// another signal.
sem_t stopped;
std::atomic<bool> going{true};

void stop_here(int) {
  sem_post(&stopped);
  sigset_t all_but_go;
  sigfillset(&all_but_go);
  sigdelset(&all_but_go, SIGXCPU);
  sigsuspend(&all_but_go);
}

TEST(OwnThread, WhoStartsOneCanBeStoppedByAGarbageCollector) {
  sem_init(&stopped, 0, 0);
  struct sigaction stop = {}, go = {}, old_stop, old_go;
  stop.sa_handler = stop_here;
  sigfillset(&stop.sa_mask);
  go.sa_handler = [](int) {};
  sigaction(SIGPWR, &stop, &old_stop);
  sigaction(SIGXCPU, &go, &old_go);
  std::vector<std::thread> creators;
  std::atomic<size_t> ended{0};
  for (int i = 0; i < 6; ++i) {
    creators.emplace_back([i, &ended] {
      while (going) {
        // Every other thread is the host's own, which can be stopped while it holds the C library's
        // lock.
        Thread own;
        pthread_t thread{};
        if (i % 2 == 0) {
          if (start_own_thread(nothing, nullptr, ThreadEnd::kJoined, own)) join(own);
        } else if (pthread_create(&thread, nullptr, nothing_at_all, nullptr) == 0) {
          pthread_join(thread, nullptr);
        }
      }
      ++ended;
    });
  }
  int collections = 0;
  bool hangs = false;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
       !hangs && std::chrono::steady_clock::now() < end; ++collections) {
    for (auto& creator : creators) pthread_kill(creator.native_handle(), SIGPWR);
    for (size_t i = 0; i < creators.size() && !hangs; ++i) {
      timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 20;
      while (sem_timedwait(&stopped, &until) != 0 && !hangs) hangs = errno == ETIMEDOUT;
    }
    for (auto& creator : creators) pthread_kill(creator.native_handle(), SIGXCPU);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  going = false;
  while (ended < creators.size()) {  // a thread that could not be stopped in time stops later
    for (auto& creator : creators) pthread_kill(creator.native_handle(), SIGXCPU);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& creator : creators) creator.join();
  sigaction(SIGPWR, &old_stop, nullptr);
  sigaction(SIGXCPU, &old_go, nullptr);
  sem_destroy(&stopped);
  EXPECT_FALSE(hangs) << "behind " << collections
                      << " collections a thread that starts another one could not be stopped";
  EXPECT_GT(collections, 20);
}

}  // namespace
}  // namespace contrastive::system
