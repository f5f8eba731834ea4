// What holds while a thread of the host's is inside the library.
//
// The thread cannot be cancelled: pthread_cancel() unwinds a thread from wherever it waits, and would end the process at our first function that throws
// nothing. A request stays pending, and takes effect behind the call.
//
// exit() waits for the thread: it destroys LibTorch's static objects, and who computes with LibTorch meanwhile crashes.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace contrastive::runtime {

class HostCall {
 public:
  HostCall() noexcept;
  ~HostCall();
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

 private:
  int cancel_before_ = PTHREAD_CANCEL_ENABLE;
};

// Around the host's own code inside a call (a log sink): exit() does not wait for it, because a run time may hold the thread there for ever (Java's virtual
// machine does when it exits). A thread that comes back once the process exits stays here until its end.
class HostsCode {
 public:
  HostsCode() noexcept;
  ~HostsCode();
  HostsCode(const HostsCode&) = delete;
  HostsCode& operator=(const HostsCode&) = delete;

 private:
  int64_t calls_;
};

// To be called when libraries were loaded, or static objects made (by the first update of a trainer), that exit() must not destroy under a call. From then on exit() first raises `process_exit` (core/base/cancel.h),
// which ends the calls of other threads where they look at their cancel flags, and waits for them. After ten seconds it flushes the standard streams
// and ends the process with its status, without destroying anything.
void end_calls_at_exit() noexcept;

// exit() destroys the newest static objects first, and LibTorch makes new ones in its first computations: those come before the wait. This makes the wait
// come before them again. It is called at the end of every call and of every update, and does something a few hundred times in the life of a process.
void renew_end_of_calls() noexcept;

}  // namespace contrastive::runtime
