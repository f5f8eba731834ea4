// A run in stages, for methods that train in several, such as ConSERT after supervision: every
// stage is a run of its own with its own dataset, optimizer, schedule and early stopping, and
// begins as the model that the one before hands over, with its best weights.
//
// One config describes them all. A key holds for every stage; "stage2.lr" holds for the second
// alone, and goes before "lr". "stage2.dataset" is the file that the second stage reads, by its own
// "stage2.data.*" alone; the first trains on the dataset that the trainer was given.
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
  std::vector<std::shared_ptr<const data::Dataset>>
      datasets;  // of each stage but the first, which has none here

  bool staged() const { return !stages.empty(); }
};

// A key of one stage, taken apart: "stage2.lr" is {1, "lr"}; nothing for a key that holds for the
// whole run.
std::optional<NumberedKey> parse_stage_key(const std::string& key);
// "stage2.dataset": the path may change when a run is resumed, the data may not.
bool is_path_of_stage_data(const std::string& key);

// kArgument for a key of a stage that there is not, a stage without a dataset, and all that
// read_run_config() refuses, under the name that the key has in `config`. Opens no file. `shape`:
// of the model, as there.
StagePlan plan_stages(const Config& config, const encoder::Architecture* shape = nullptr);
// Opens the datasets of all stages but the first. What is wrong with a file is said behind its key,
// "stage2.dataset".
void open_datasets(StagePlan& plan);
// The same, and finds of every stage what open_inputs() finds, so that none fails behind another.
// `first`: the dataset of the first stage, whose inputs are returned.
RunInputs open_stages(StagePlan& plan, std::shared_ptr<const data::Dataset> first);
// Every key of every stage with its value, as plan_stages() reads it.
Config resolved_stages(const StagePlan& plan);
// The fingerprints of plan.datasets, of the second stage's first.
std::vector<std::string> fingerprints(const StagePlan& plan);

}  // namespace contrastive::run
