// How a thread computes with floating-point numbers: rounding, traps, and whether it flushes
// denormals to zero.
#pragma once

#include <cfenv>

namespace contrastive::system {

struct FpState {
  std::fenv_t environment{};
  // Of Windows instead, whose C library leaves the flushing out: MXCSR and the control word.
  unsigned sse = 0;
  unsigned short x87 = 0;
};

// Saves this thread's state and sets the default one: rounds to nearest, no traps, keeps denormals.
void set_default_fp(FpState& before) noexcept;
void restore_fp(const FpState& before) noexcept;

}  // namespace contrastive::system
