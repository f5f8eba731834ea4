// What the authors' scripts set (core/torch/methods/consert/README.md 4), as configs: defaults for
// the keys of ConSERT and of the trainer.
#pragma once

#include <string>
#include <vector>

#include "core/base/config.h"

namespace contrastive::methods {

std::vector<std::string> consert_preset_names();

// The defaults that the keys consert.preset and consert.mode of `config` decide, both of them
// included; its other keys are not looked at. kArgument for a mode that is not the preset's.
Config consert_defaults(const Config& config);

// The same for each stage of a run in two stages; empty for other modes.
std::vector<Config> consert_stages(const Config& config);

// Whether the config is of one stage of a row's two: keys that were given for the whole run are no
// contradiction there. A stage of preset consert-code cannot be told from a run of its own.
bool is_consert_stage(const Config& config);

}  // namespace contrastive::methods
