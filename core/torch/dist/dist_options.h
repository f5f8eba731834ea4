// The config keys "dist.*": whether a run is shared among ranks, and where this rank finds the
// others. They say nothing of the run itself: no checkpoint and no card holds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::dist {

enum class Mode {
  kOff,      // one process, whatever the environment says
  kEnv,      // a launcher's variables say which rank this process is
  kKeys,     // dist.rank, dist.world_size and dist.store say it
  kThreads,  // every device of dist.devices is a rank, on a thread of this process
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

// The keys "dist.*" of `config`. kArgument for a bad value, for a key that would change nothing in
// this mode, and for one that the mode needs.
Options read_options(const Config& config);
// `config` without them.
Config without_options(const Config& config);
// The rows of cs_config_describe.
Json describe_options();

}  // namespace contrastive::dist
