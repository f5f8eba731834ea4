// A trainer's run as the verbs drive it: steps until it is over or somebody asks to stop, with
// progress, and what is left on the disk.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <functional>
#include <string>

#include "capi/program/verb.h"

namespace contrastive::cli {

// "loss 0.1234  lr 0.0000200  dev 0.7312  best_dev 0.7401": what there is of it.
std::string metrics_line(const cs_trainer* trainer);

// Steps until the run is over (true) or Ctrl-C asks to stop (false). `stepped` is called after each
// update with its number. `verb` opens the line of progress.
bool train_steps(cs_trainer* trainer, const std::string& verb, const Common& common,
                 const std::function<void(int64_t)>& stepped);

// The config in force as run.json, which --config reads and `contrastive report` shows.
void write_config(const cs_trainer* trainer, const std::string& folder);
// The run as it is now: the model, what resuming needs, and the config in force as run.json, which
// --config reads.
void save_run(const cs_trainer* trainer, const std::string& folder);
// The result of a finished run: the best model on the dev set, where there is one; and run.json.
void save_best_of_run(const cs_trainer* trainer, const std::string& folder);

}  // namespace contrastive::cli
