#include "core/system/thread.h"

#include <process.h>

#include <memory>
#include <new>

#include "core/system/windows/native.h"

namespace contrastive::system {
namespace {

struct Start {
  void (*body)(void*);
  void* argument;
};

unsigned __stdcall begin(void* given) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(given));
  const Start start = *owned;
  start.body(start.argument);
  return 0;
}

HANDLE handle_of(Thread thread) { return reinterpret_cast<HANDLE>(thread.number); }

}  // namespace

bool start_own_thread(void (*body)(void*), void* argument, ThreadEnd end, Thread& thread) noexcept {
  std::unique_ptr<Start> given(new (std::nothrow) Start{body, argument});
  if (given == nullptr) return false;
  thread.number = ::_beginthreadex(nullptr, kLeastStack, begin, given.get(),
                                   STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread.number == 0) return false;
  (void)given.release();  // begin() owns it
  if (end == ThreadEnd::kDetached) ::CloseHandle(handle_of(thread));
  return true;
}

void join(Thread thread) noexcept {
  ::WaitForSingleObject(handle_of(thread), INFINITE);
  ::CloseHandle(handle_of(thread));
}

void enter_host() noexcept {}  // no signals

NoThreadCancel::NoThreadCancel() noexcept = default;
NoThreadCancel::~NoThreadCancel() = default;

bool watch_forks(void (*)(), void (*)(), void (*)()) noexcept { return true; }

int64_t coarse_milliseconds() noexcept { return static_cast<int64_t>(::GetTickCount64()); }

void sleep_until_the_end() noexcept {
  for (;;) ::Sleep(INFINITE);
}

bool call_at_exit(void (*)()) noexcept { return true; }

}  // namespace contrastive::system
