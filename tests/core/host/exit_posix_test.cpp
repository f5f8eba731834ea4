#include "core/host/exit.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/host/call.h"

namespace contrastive::host {
namespace {

constexpr int kStatus = 7, kTooEarly = 9, kNotAsleep = 10;
std::atomic<bool> inside{false}, made{false}, renewed{false}, over{false}, woke{false};

void sleep_ms(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

// The exit status of a child that runs `body`.
int status_of(void (*body)()) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    body();
    ::_exit(1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void long_call() {
  const Call call;
  inside = true;
  while (!made) sleep_ms(1);
  sleep_ms(50);  // longer than the first pause between two renewals
  renew_exit_watch();
  renewed = true;
  while (!exit_ends_work()) sleep_ms(1);
  sleep_ms(100);
  over = true;
}

// Objects that a library creates during a call are destroyed by an exit handler that was registered
// after the one that waits.
void exit_beside_a_long_call() {
  watch_exit();
  std::thread(long_call).detach();
  while (!inside) sleep_ms(1);
  std::atexit([] {
    if (!over) ::_exit(kTooEarly);
  });
  made = true;
  while (!renewed) sleep_ms(1);
  std::exit(kStatus);
}

TEST(Exit, ALongCallPutsTheWaitBeforeWhatItMade) {
  EXPECT_EQ(status_of(exit_beside_a_long_call), kStatus);
}

// Checks its flag too late.
void busy_call() {
  const Call call;
  inside = true;
  while (exit_phase.load() != ExitPhase::kContinuing) sleep_ms(1);
  exit_ends_work();
  woke = true;
}

void exit_beside_a_busy_call() {
  std::atexit([] {
    sleep_ms(300);
    if (woke) ::_exit(kNotAsleep);
  });
  watch_exit();
  std::thread(busy_call).detach();
  while (!inside) sleep_ms(1);
  std::exit(kStatus);
}

TEST(Exit, ContinuesAfterItsPatienceAndPutsTheCallToSleep) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of(exit_beside_a_busy_call), kStatus);
  const auto time = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(time, kExitPatience);
  EXPECT_LT(time, kExitPatience + std::chrono::seconds(10));  // allows for a busy machine
}

void exit_inside_a_call() {
  watch_exit();
  sleep_ms(50);
  renew_exit_watch();
  const Call call;
  ::alarm(3);  // exit() does not wait for its own call
  std::exit(kStatus);
}

TEST(Exit, DoesNotWaitForTheCallThatItIsIn) { EXPECT_EQ(status_of(exit_inside_a_call), kStatus); }

TEST(NoThreadCancel, ARequestWaitsForTheEndOfTheCall) {
  static std::atomic<bool> came_back{false};
  const auto body = [](void*) -> void* {
    {
      const Call call;
      ::pthread_cancel(::pthread_self());
      ::pthread_testcancel();
      came_back = true;
    }
    ::pthread_testcancel();
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(::pthread_create(&thread, nullptr, body, nullptr), 0);
  void* result = nullptr;
  ::pthread_join(thread, &result);
  EXPECT_TRUE(came_back);
  EXPECT_EQ(result, PTHREAD_CANCELED);
}

}  // namespace
}  // namespace contrastive::host
