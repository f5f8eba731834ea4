#include "core/runtime/host_call.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "core/base/cancel.h"

namespace contrastive::runtime {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr int64_t kRenewedEach = 10;  // milliseconds, at most

std::atomic<int64_t> calls{0};       // of all threads
thread_local int64_t own_calls = 0;  // of this one: the library calls a log sink, and that frees a handle

// exit() runs its handlers from the last to the first, and LibTorch makes static objects all the time, each with its destructor as a handler. So that ours
// stays the last one it is registered anew, again and again. There are two of it by turns: the new one is registered before the
// former goes.
struct ExitHandler {
  std::atomic<bool> registered{false};
};
ExitHandler handlers[2];
int newest = 0;                       // under `renewing`
std::atomic<int64_t> renewed_at{-1};  // milliseconds; -1: there is nothing to wait for yet
std::mutex renewing;

int64_t milliseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

void end_calls(void* handler) {
  if (!static_cast<ExitHandler*>(handler)->registered) return;
  process_exit.trigger();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (calls.load() != own_calls) {
    if (std::chrono::steady_clock::now() >= end) {
      std::fflush(nullptr);
      ::_exit(EXIT_FAILURE);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The C library's: inside this one the name means a function that does nothing (capi/src/static_destructors.cpp).
using Register = int (*)(void (*)(void*), void*, void*);
Register registrar() noexcept { return reinterpret_cast<Register>(::dlsym(RTLD_DEFAULT, "__cxa_atexit")); }

// In the child the calls of other threads go on nowhere.
[[maybe_unused]] const int counting_anew = ::pthread_atfork(nullptr, nullptr, [] {
  calls = own_calls;
  new (&renewing) std::mutex;
});

}  // namespace

void end_calls_at_exit() noexcept {
  static const Register register_handler = registrar();
  const std::unique_lock<std::mutex> lock(renewing, std::try_to_lock);
  if (!lock || register_handler == nullptr || process_exit.triggered()) return;
  ExitHandler &former = handlers[newest], &next = handlers[1 - newest];
  next.registered = true;
  if (register_handler(end_calls, &next, &next) != 0) {  // no memory: the former one stays
    next.registered = false;
    return;
  }
  former.registered = false;
  abi::__cxa_finalize(&former);  // calls it, which does nothing, and takes it off the list
  newest = 1 - newest;
  renewed_at = milliseconds();
}

HostCall::HostCall() noexcept {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before_);
  ++own_calls;
  calls.fetch_add(1);
}

HostCall::~HostCall() {
  const int64_t before = renewed_at.load(std::memory_order_relaxed);
  if (before >= 0 && milliseconds() >= before + kRenewedEach) end_calls_at_exit();
  calls.fetch_sub(1);
  --own_calls;
  ::pthread_setcancelstate(cancel_before_, nullptr);
}

}  // namespace contrastive::runtime
