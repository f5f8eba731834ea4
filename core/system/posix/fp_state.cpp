#include "core/system/fp_state.h"

namespace contrastive::system {

void set_default_fp(FpState& before) noexcept {
  std::fegetenv(&before.environment);  // on x86 with MXCSR, on arm64 with FPCR
  std::fesetenv(FE_DFL_ENV);
}

void restore_fp(const FpState& before) noexcept { std::fesetenv(&before.environment); }

}  // namespace contrastive::system
