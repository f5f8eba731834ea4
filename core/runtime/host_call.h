// What holds while a thread of the host's is inside the library.
//
// The thread cannot be cancelled: pthread_cancel() unwinds a thread from wherever it waits, and
// would end the process at our first function that throws nothing. A request stays pending, and
// takes effect behind the call.
//
// exit() waits for the thread, unless it is in a log sink: exit() destroys LibTorch's static
// objects, and who computes with LibTorch meanwhile crashes.
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

// Around the host's own code inside a call (a log sink). On a thread of the library's, the signals
// by which run times stop threads are let through (core/base/own_thread.h). exit() does not wait
// for the thread, because a run time may hold it there for ever: Java's virtual machine does when
// it exits. A thread that comes back once the process exits stays here until its end; one of the
// library's own goes on, for its caller waits for it.
class InHostCode {
 public:
  InHostCode() noexcept;
  ~InHostCode();
  InHostCode(const InHostCode&) = delete;
  InHostCode& operator=(const InHostCode&) = delete;

 private:
  int64_t calls_;
};

// To be called when libraries were loaded, or static objects made, that exit() must not destroy
// under a call. From then on exit() first raises `process_exit` (core/base/cancel.h), which ends
// the calls of other threads where they look at their cancel flags, and waits for them. After ten
// seconds it flushes the standard streams and ends the process with its status, without destroying
// anything.
void end_calls_at_exit() noexcept;

// exit() destroys the newest static objects first, and LibTorch makes new ones whenever it computes
// something for the first time: those go before the wait. This puts the wait before them again, if
// the last time was long enough ago: ten milliseconds at first, a minute at most. Called at the end
// of every call, of every update and of every parallel_for().
void renew_end_of_calls() noexcept;

}  // namespace contrastive::runtime
