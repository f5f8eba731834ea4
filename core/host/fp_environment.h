// Gives the library its own floating-point environment, whatever the host has set (traps, another
// rounding mode, flush-to-zero). The constructor saves the host's state and the destructor restores
// it.
#pragma once

#include <cfenv>

namespace contrastive::host {

class FpEnvironment {
 public:
  FpEnvironment() noexcept;
  ~FpEnvironment();
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  std::fenv_t saved_;  // flush-to-zero included: on x86 it holds MXCSR too, on arm64 FPCR
};

}  // namespace contrastive::host
