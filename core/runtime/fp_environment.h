// Shields our arithmetic from what a host program did to the floating-point unit (traps raised,
// another rounding mode, flush-to-zero), and the host from us: the state is replaced on entry and
// put back on exit.
#pragma once

#include <cfenv>

namespace contrastive::runtime {

class FpEnvironment {
 public:
  FpEnvironment() noexcept;
  ~FpEnvironment();
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  std::fenv_t saved_;  // flush-to-zero included: on x86 it holds MXCSR too, on arm64 FPCR
};

}  // namespace contrastive::runtime
