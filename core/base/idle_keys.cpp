#include "core/base/idle_keys.h"

#include "core/base/error.h"

namespace contrastive {

void reject_idle_keys(const Config& config, const std::string& prefix,
                      const std::vector<IdleKeys>& groups) {
  for (const IdleKeys& group : groups) {
    for (const char* key : group.keys) {
      check(!group.idle || !config.has(prefix + key), Status::kArgument, "config key '", prefix,
            key, "' is set, but ", group.because);
    }
  }
}

}  // namespace contrastive
