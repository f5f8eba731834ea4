#include "core/runtime/host_call.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <thread>

#include "core/base/cancel.h"
#include "core/base/own_thread.h"

namespace contrastive::runtime {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr int64_t kLeastPause = 10, kMostPause = 60000;  // milliseconds, between two handlers
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> calls{0};  // of all threads
thread_local int64_t own_calls =
    0;  // of this one: the library calls a log sink, and that frees a handle

std::mutex registering;
int64_t first_time = 0;  // milliseconds, of the last end_calls_at_exit(); under `registering`
std::atomic<int64_t> due{kNever};  // when the handler is to be registered again

int64_t milliseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

// Registered many times: all but the first to run find nothing to wait for.
void end_calls(int status, void* /* argument */) {
  process_exit.trigger();
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // the flag is up before the calls are counted
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (calls.load() != own_calls) {
    if (std::chrono::steady_clock::now() >= end) {
      for (FILE* stream :
           {stdout, stderr}) {  // not all: somebody may be reading, with a lock on the stream
        if (::ftrylockfile(stream) != 0) continue;
        ::fflush_unlocked(stream);
        ::funlockfile(stream);
      }
      ::_exit(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void count(int64_t more) noexcept {
  calls.fetch_add(more);
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // the call is counted before it looks at the flag
}

// Handlers cannot be taken off the C library's list without a lock that fork() holds as well. Old
// ones stay, 32 bytes each, so new ones become rarer.
void register_handler() noexcept {
  const int64_t now = milliseconds();
  if (::on_exit(end_calls, nullptr) == 0)
    due = now + std::clamp((now - first_time) / 16, kLeastPause, kMostPause);
}

// No thread is inside on_exit() while the process forks: the child would find the C library's lock
// taken for ever. In the child the calls of other threads go on nowhere.
[[maybe_unused]] const int fork_handlers =
    ::pthread_atfork([] { registering.lock(); }, [] { registering.unlock(); },
                     [] {
                       registering.unlock();
                       calls = own_calls;
                     });

}  // namespace

void end_calls_at_exit() noexcept {
  const std::lock_guard<std::mutex> lock(registering);
  first_time = milliseconds();
  register_handler();
}

void renew_end_of_calls() noexcept {
  const int64_t next = due.load(std::memory_order_relaxed);
  if (next == kNever || milliseconds() < next || process_exit.triggered()) return;
  const std::unique_lock<std::mutex> lock(registering, std::try_to_lock);
  if (lock) register_handler();
}

HostCall::HostCall() noexcept {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before_);
  ++own_calls;
  count(1);
}

HostCall::~HostCall() {
  renew_end_of_calls();
  count(-1);
  --own_calls;
  ::pthread_setcancelstate(cancel_before_, nullptr);
}

InHostCode::InHostCode() noexcept : calls_(own_calls) {
  enter_host();
  own_calls = 0;
  count(-calls_);
}

InHostCode::~InHostCode() {
  count(calls_);
  own_calls = calls_;
  if (calls_ == 0 || !process_exit.triggered()) return;  // 0: one of the library's own
  count(-calls_);
  for (;;) ::pause();
}

}  // namespace contrastive::runtime
