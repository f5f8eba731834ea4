// What holds while a thread of the host's is inside the library.
//
// The thread cannot be cancelled: pthread_cancel() unwinds a thread from wherever it waits, and would end the process at our first function that throws
// nothing. A request stays pending, and takes effect behind the call.
//
// exit() waits for the thread: it destroys LibTorch's static objects, and who computes with LibTorch meanwhile crashes.
#pragma once

#include <pthread.h>

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

// To be called when libraries were loaded that exit() must not destroy under a call. From then on exit() first raises `process_exit` (core/base/cancel.h),
// which ends the calls of other threads where they look at their cancel flags, and waits for them. After 30 seconds it flushes the streams and ends the
// process with EXIT_FAILURE, without destroying anything. What a call that is still running has registered with exit() since then comes before that.
void end_calls_at_exit() noexcept;

}  // namespace contrastive::runtime
