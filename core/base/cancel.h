// A flag that any thread may raise at any time and that long work looks at between its parts.
// Sticky: it cannot be lowered.
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

// Whether `cancel` is given and raised, or the process exits, which ends all work.
inline bool is_cancelled(const Cancel* cancel) {
  return host::exit_ends_work() || (cancel != nullptr && cancel->triggered());
}

// kCancelled where that is so.
inline void throw_if_cancelled(const Cancel* cancel) {
  if (is_cancelled(cancel)) fail(Status::kCancelled, "cancelled");
}

// `compare`, which throws kCancelled as well: for a sort that may take long.
template <class Compare>
auto cancellable(const Cancel* cancel, Compare compare) {
  return [cancel, compare](const auto& a, const auto& b) {
    throw_if_cancelled(cancel);
    return compare(a, b);
  };
}

}  // namespace contrastive
