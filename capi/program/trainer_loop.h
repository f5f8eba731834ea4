// Runs a trainer for the verbs: steps with progress until the run is over or is stopped, and saves
// the run.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <functional>
#include <string>

#include "capi/program/verb.h"

namespace contrastive::cli {

// "loss 0.1234  lr 0.0000200  dev 0.7312  best_dev 0.7401", without figures that are missing.
std::string metrics_line(const cs_trainer* trainer);

// Steps until the run is over (true) or Ctrl-C asks to stop (false). Calls `stepped` after each
// update with its number. The progress line begins with `verb`.
bool train_steps(cs_trainer* trainer, const std::string& verb, const Common& common,
                 const std::function<void(int64_t)>& stepped);

constexpr const char* kConfigFile = "/run.json";  // in the folder of a run

// Writes the effective config to run.json, which --config reads and `contrastive report` shows.
void write_config(const cs_trainer* trainer, const std::string& folder);
// Saves the run as it is now: the model, the state for resuming, and run.json.
void save_run(const cs_trainer* trainer, const std::string& folder);
// Saves the result of a finished run (cs_trainer_save_best) and run.json.
void save_best_of_run(const cs_trainer* trainer, const std::string& folder);

}  // namespace contrastive::cli
