// pthread_cancel() unwinds a thread from wherever it waits, and would end the process at our first function that throws nothing. While this object lives
// the calling thread cannot be cancelled: a request stays pending, and takes effect behind the call.
#pragma once

#include <pthread.h>

namespace contrastive::runtime {

class NoCancellation {
 public:
  NoCancellation() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { ::pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace contrastive::runtime
