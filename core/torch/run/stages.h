// A run in several stages, such as ConSERT after supervised training. Every stage is a separate run
// with its own dataset, optimizer, schedule and early stopping, and starts from the best weights of
// the stage before.
//
// One config describes all stages. A key applies to every stage; "stage2.lr" applies only to the
// second, and has priority over "lr". "stage2.dataset" is the file of the second stage, which only
// its own "stage2.data.*" configure; the first stage trains on the trainer's dataset.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/encoder/architecture.h"
#include "core/torch/run/numbered_keys.h"
#include "core/torch/run/run_inputs.h"

namespace contrastive::run {

struct StagePlan {
  Config whole;                // as it was given
  std::vector<Config> stages;  // of each stage, for read_run_config(); empty for a run of one
  std::vector<std::shared_ptr<const data::Dataset>> datasets;  // of each stage; null for the first

  bool staged() const { return !stages.empty(); }
};

// Parses a key of one stage: "stage2.lr" is {1, "lr"}; empty for a key of the whole run.
std::optional<NumberedKey> parse_stage_key(const std::string& key);
// "stage2.dataset": the path may change on resume, but the data may not.
bool is_path_of_stage_data(const std::string& key);

// kArgument for a key of a stage that does not exist, a stage without a dataset, and everything
// that read_run_config() refuses, with the name of the key in `config`. Opens no file. `shape`: of
// the model, as in read_run_config().
StagePlan plan_stages(const Config& config, const encoder::Architecture* shape = nullptr);
// Opens the datasets of all stages but the first. An error of a file is prefixed with its key,
// "stage2.dataset".
void open_datasets(StagePlan& plan);
// The same, and checks every stage with open_inputs(), so that none fails only after an earlier
// one. `first`: the dataset of the first stage, whose inputs are returned.
RunInputs open_stages(StagePlan& plan, std::shared_ptr<const data::Dataset> first);
// Every key of every stage with its value, as plan_stages() reads it.
Config resolved_stages(const StagePlan& plan);
// The fingerprints of plan.datasets, starting with the second stage's.
std::vector<std::string> fingerprints(const StagePlan& plan);

}  // namespace contrastive::run
