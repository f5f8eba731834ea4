// A cancel flag. Any thread may raise it at any time, and long work checks it between its steps. It
// cannot be lowered again. Long work also reports its progress through the flag
// (progress_report.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "core/base/error.h"
#include "core/host/exit.h"

namespace contrastive {

// Receives the progress of a call: what is counted ("texts encoded"), how many are done, and how
// many there are (0 if that is unknown).
using ProgressListener = std::function<void(const char* what, int64_t done, int64_t total)>;

class Cancel {
 public:
  void trigger() noexcept { raised_.store(true, std::memory_order_relaxed); }
  bool triggered() const noexcept { return raised_.load(std::memory_order_relaxed); }

  // Replaces the listener; an empty one removes it. When this returns, no call of the previous
  // listener is running.
  void set_listener(ProgressListener listener);
  bool has_listener() const noexcept { return listens_.load(std::memory_order_relaxed); }
  // Calls the listener. Two threads never run it at once.
  void report(const char* what, int64_t done, int64_t total) const;

 private:
  std::atomic<bool> raised_{false};
  std::atomic<bool> listens_{false};
  mutable std::timed_mutex reporting_;
  ProgressListener listener_;  // guarded by reporting_
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
