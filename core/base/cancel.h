// A flag that any thread may raise at any time and that long work looks at between its parts. Sticky: it cannot be lowered.
#pragma once

#include <atomic>

#include "core/base/error.h"

namespace contrastive {

class Cancel {
 public:
  void trigger() noexcept { raised_.store(true, std::memory_order_relaxed); }
  bool triggered() const noexcept { return raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> raised_{false};
};

// Throws kCancelled when `cancel` is given and raised.
inline void throw_if_cancelled(const Cancel* cancel) {
  if (cancel != nullptr && cancel->triggered()) fail(Status::kCancelled, "cancelled");
}

}  // namespace contrastive
