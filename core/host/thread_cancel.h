// pthread_cancel() on a thread of the host that is inside the library. It would unwind the thread
// from wherever it waits, and end the process at our first function that throws nothing. While this
// object lives the request stays pending; it takes effect after the call.
#pragma once

#include <pthread.h>

namespace contrastive::host {

class NoThreadCancel {
 public:
  NoThreadCancel() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoThreadCancel() { ::pthread_setcancelstate(before_, nullptr); }
  NoThreadCancel(const NoThreadCancel&) = delete;
  NoThreadCancel& operator=(const NoThreadCancel&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace contrastive::host
