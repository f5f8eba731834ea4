// A cancel flag. Any thread may raise it at any time, and long work checks it between its steps. It
// cannot be lowered again.
#pragma once

#include <atomic>

#include "core/base/error.h"
#include "core/host/exit.h"

namespace contrastive {

class Cancel {
 public:
  void trigger() noexcept { raised_.store(true, std::memory_order_relaxed); }
  bool triggered() const noexcept { return raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> raised_{false};
};

// True if `cancel` is given and raised, or if the process exits, which ends all work.
inline bool is_cancelled(const Cancel* cancel) {
  return host::exit_ends_work() || (cancel != nullptr && cancel->triggered());
}

// Throws kCancelled if is_cancelled().
inline void throw_if_cancelled(const Cancel* cancel) {
  if (is_cancelled(cancel)) fail(Status::kCancelled, "cancelled");
}

// Wraps a comparison so that it also throws kCancelled: for sorts that may take long.
template <class Compare>
auto cancellable(const Cancel* cancel, Compare compare) {
  return [cancel, compare](const auto& a, const auto& b) {
    throw_if_cancelled(cancel);
    return compare(a, b);
  };
}

}  // namespace contrastive
