// Keys that would change nothing beside the others of a config: one that was asked for is refused,
// not passed over in silence.
#pragma once

#include <string>
#include <vector>

#include "core/base/config.h"

namespace contrastive {

struct IdleKeys {
  bool idle;
  std::string because;  // behind "config key '...' is set, but "
  std::vector<const char*> keys;
};

// kArgument for the first key of an idle group, behind `prefix`, that `config` has.
void reject_idle_keys(const Config& config, const std::string& prefix,
                      const std::vector<IdleKeys>& groups);

}  // namespace contrastive
