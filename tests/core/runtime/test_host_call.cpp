#include "core/runtime/host_call.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/base/cancel.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

namespace contrastive::runtime {
namespace {

constexpr int kStatus = 7, kTooEarly = 9;
std::atomic<bool> inside{false}, made{false}, renewed{false}, over{false};

void sleep_ms(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

void long_call() {
  const HostCall call;
  inside = true;
  while (!made) sleep_ms(1);
  sleep_ms(50);  // longer than the first pause between two renewals
  parallel_for(2, [](int64_t) {});
  renewed = true;
  while (!process_exit.triggered()) sleep_ms(1);
  sleep_ms(100);
  over = true;
}

// What a library makes in a call is destroyed by a handler of exit() that is younger than the one
// that waits.
[[noreturn]] void exit_beside_a_long_call() {
  ::alarm(60);
  set_threads(1);
  end_calls_at_exit();
  std::thread(long_call).detach();
  while (!inside) sleep_ms(1);
  std::atexit([] {
    if (!over) ::_exit(kTooEarly);
  });
  made = true;
  while (!renewed) sleep_ms(1);
  std::exit(kStatus);
}

TEST(HostCall, ALongCallPutsTheWaitBeforeWhatItMade) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) exit_beside_a_long_call();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kStatus);
}

}  // namespace
}  // namespace contrastive::runtime
