#include "core/host/exit.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <thread>

#include "core/system/thread.h"

namespace contrastive::host {

std::atomic<ExitPhase> exit_phase{ExitPhase::kNone};

namespace {

constexpr int64_t kLeastPause = 10, kMostPause = 60000;  // milliseconds, between two handlers
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> calls{0};         // of all threads
thread_local int64_t own_calls = 0;    // of this thread: a log sink may free a handle
thread_local bool is_exiting = false;  // this thread called exit()

std::mutex registering;
int64_t first_time = 0;  // milliseconds, of the last watch_exit(); guarded by `registering`
std::atomic<int64_t> due{kNever};  // when the handler is to be registered again

using system::coarse_milliseconds;
using system::sleep_until_the_end;

// Registered many times. The first to run does the work.
void end_calls() {
  ExitPhase none = ExitPhase::kNone;
  if (!exit_phase.compare_exchange_strong(none, ExitPhase::kWaiting)) return;
  is_exiting = true;
  // The phase is set before the calls are counted; count() has the other half.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto end = std::chrono::steady_clock::now() + kExitPatience;
  while (calls.load() != own_calls && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  exit_phase.store(ExitPhase::kContinuing);
}

void count(int64_t more) noexcept {
  calls.fetch_add(more);
  // The call is counted before it looks at the phase.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// A handler cannot be taken off the C library's list. Old ones stay, 32 bytes each, so new ones
// become rarer.
void register_handler() noexcept {
  const int64_t now = coarse_milliseconds();
  if (system::call_at_exit(end_calls))
    due = now + std::clamp((now - first_time) / 16, kLeastPause, kMostPause);
}

// No thread registers a handler while the process forks: the child would find the C library's lock
// locked forever. The child has none of its parent's other threads, so it waits for none.
[[maybe_unused]] const bool fork_handlers =
    system::watch_forks([] { registering.lock(); }, [] { registering.unlock(); },
                        [] {
                          registering.unlock();
                          calls = own_calls;
                        });

}  // namespace

void sleep_if_exit_continues() noexcept {
  if (exit_phase.load() == ExitPhase::kContinuing && !is_exiting) sleep_until_the_end();
}

void watch_exit() noexcept {
  const std::lock_guard<std::mutex> lock(registering);
  first_time = coarse_milliseconds();
  register_handler();
}

void renew_exit_watch() noexcept {
  const int64_t next = due.load(std::memory_order_relaxed);
  if (next == kNever || coarse_milliseconds() < next || exit_began()) return;
  const std::unique_lock<std::mutex> lock(registering, std::try_to_lock);
  if (lock) register_handler();
}

CountedCall::CountedCall() noexcept {
  ++own_calls;
  count(1);
}

CountedCall::~CountedCall() {
  renew_exit_watch();
  count(-1);
  --own_calls;
}

UncountedCode::UncountedCode() noexcept : calls_(own_calls) {
  own_calls = 0;
  count(-calls_);
}

UncountedCode::~UncountedCode() {
  count(calls_);
  own_calls = calls_;
  if (calls_ == 0 || !exit_began()) return;  // 0: a thread of the library
  count(-calls_);
  sleep_until_the_end();
}

}  // namespace contrastive::host
