#include "core/base/cancel.h"

#include <utility>

#include "core/host/lock.h"

namespace contrastive {

void Cancel::set_listener(ProgressListener listener) {
  const auto lock = host::lock_until_exit(reporting_);
  check(lock.owns_lock(), Status::kState, "the process exits: the progress function stays");
  listens_ = static_cast<bool>(listener);
  listener_ = std::move(listener);
}

void Cancel::report(const char* what, int64_t done, int64_t total) const {
  const auto lock = host::lock_until_exit(reporting_);
  if (lock.owns_lock() && listener_) listener_(what, done, total);
}

}  // namespace contrastive
