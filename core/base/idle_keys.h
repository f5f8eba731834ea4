// Rejects config keys that would have no effect given the other keys, instead of ignoring them
// silently.
#pragma once

#include <string>
#include <vector>

#include "core/base/config.h"

namespace contrastive {

struct IdleKeys {
  bool idle;
  std::string because;  // completes "config key '...' is set, but "
  std::vector<const char*> keys;
};

// Throws kArgument for the first key that `config` sets and that is in an idle group, with `prefix`
// before each key of a group.
void reject_idle_keys(const Config& config, const std::string& prefix,
                      const std::vector<IdleKeys>& groups);

}  // namespace contrastive
