// The settings of the authors' scripts (core/torch/methods/consert/README.md 4), as configs:
// defaults for the keys of ConSERT and of the trainer.
#pragma once

#include <string>
#include <vector>

#include "core/base/config.h"

namespace contrastive::methods {

std::vector<std::string> consert_preset_names();

// Returns the defaults that the keys consert.preset and consert.mode of `config` select, including
// these two keys. Other keys of `config` are ignored. kArgument if the preset does not belong to
// the mode.
Config consert_defaults(const Config& config);

// The same for each stage of a run in two stages; empty for other modes.
std::vector<Config> consert_stages(const Config& config);

// Whether the config describes one stage of a preset with two stages. There, keys that were set for
// the whole run are not a contradiction. A stage of preset consert-code cannot be told from a run
// with the same config.
bool is_consert_stage(const Config& config);

}  // namespace contrastive::methods
