// One run of an experiment, from whatever of it is on the disk already to its result.
#pragma once

#include <string>

#include "capi/program/experiment/run_folder.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

struct RunSettings {
  std::string output;      // the experiment's folder
  std::string label;       // opens the lines of progress: "3/16 shuffle, seed 2"
  Json load;               // config of cs_model_load for models that were trained here
  int64_t save_every = 0;  // updates between two saves of the state
};

// The code of a run that failed because the one whose model it begins with did not finish.
constexpr const char* kNoSource = "SOURCE";

// Trains, evaluates and writes result.json; goes on from the last saved state bit for bit as if
// nothing had been interrupted. A run that fails for a reason of its own (NaN, out of memory,
// malformed data) is written down as failed, and returned. Throws CANCELLED after Ctrl-C, when
// everything was saved, and what makes going on with other runs pointless: a full disk, or settings
// that are not those of the folder.
Result make_run(const Plan& plan, const Run& run, const RunSettings& settings,
                const Common& common);

}  // namespace contrastive::cli
