// The config keys "dist.*": whether a run is shared among ranks, and where this rank finds the
// others. They do not describe the run itself, so no checkpoint and no model card contains them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::dist {

enum class Mode {
  kOff,      // one process; the environment is ignored
  kEnv,      // a launcher's environment variables say which rank this process is
  kKeys,     // dist.rank, dist.world_size and dist.store say it
  kThreads,  // each device of dist.devices is a rank, on a thread of this process
};

struct Options {
  static constexpr const char* kPrefix = "dist.";

  Mode mode = Mode::kOff;
  int64_t rank = -1;
  int64_t world_size = 0;
  std::string store;
  std::vector<std::string> devices;
  double timeout = 300;
  std::string interface;

  void visit(OptionVisitor& v);
};

// Reads the keys "dist.*" of `config`. kArgument for a bad value, for a key that has no effect in
// this mode, and for a missing key that the mode needs.
Options read_options(const Config& config);
// Returns `config` without these keys.
Config without_options(const Config& config);
// The rows for cs_config_describe.
Json describe_options();

}  // namespace contrastive::dist
