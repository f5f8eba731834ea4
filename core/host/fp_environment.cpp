#include "core/host/fp_environment.h"

namespace contrastive::host {

FpEnvironment::FpEnvironment() noexcept {
  std::fegetenv(&saved_);
  std::fesetenv(FE_DFL_ENV);  // round to nearest, no traps, denormals kept
}

FpEnvironment::~FpEnvironment() { std::fesetenv(&saved_); }

}  // namespace contrastive::host
