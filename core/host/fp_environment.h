// Gives the library its own floating-point environment, whatever the host has set (traps, another
// rounding mode, flush-to-zero). The constructor saves the host's state and the destructor restores
// it.
#pragma once

#include "core/system/fp_state.h"

namespace contrastive::host {

class FpEnvironment {
 public:
  FpEnvironment() noexcept { system::set_default_fp(before_); }
  ~FpEnvironment() { system::restore_fp(before_); }
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  system::FpState before_;
};

}  // namespace contrastive::host
