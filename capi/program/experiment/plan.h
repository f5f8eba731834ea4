// What an experiment file comes to: the cells of its table, and for each cell and seed a run with
// every setting resolved.
#pragma once

#include <string>
#include <vector>

#include "capi/program/experiment/experiment_file.h"

namespace contrastive::cli {

struct Run {
  int64_t seed = 0;
  std::string folder;  // below the output: "runs/shuffle/seed-1"
  // {"start": {"model", "load"} or {"create"} or {"row", "folder", "trained_by": {"start",
  // "steps"}}, "steps": [{"name", "train", "config"}], "evaluate": [{"task", "config"}]}: all that
  // decides the result. Kept as run.json.
  Json plan;
  // Of each evaluation, as settle_evaluations() found: whether it has any figure to give, its
  // columns whose data set is not there, and paths that its report is bound to have. Empty before.
  std::vector<bool> measured;
  std::vector<std::vector<std::string>> open, promised;
  int source = -1;  // the run whose trained model this one begins with, by its number in
                    // Plan::runs; -1 for none
};

// A line of the table: a row of the file with one value of every key of the grid.
struct Cell {
  std::string row;                  // "" where the file has no rows
  std::vector<std::string> labels;  // of each key of the grid; empty for a row outside it
  std::string name;                 // "MLM+del-word, 0.1"
  std::vector<size_t> runs;  // by their numbers in Plan::runs: one a seed, or a single one where no
                             // seed changes anything
};

struct Plan {
  std::vector<Cell> cells;
  std::vector<Run> runs;  // in the order in which they are made
};

// kExitUsage with the file and the setting at fault. Opens nothing.
Plan make_plan(const ExperimentFile& file);

// Every config of every run, looked at by the library: kExitUsage naming the file, the run and the
// key. Opens no data, and of a model its config.json.
void check_plan(const ExperimentFile& file, const Plan& plan);

// Looks every column up in what its task will report, which reads the data of the tasks and nothing
// else. Columns whose data set is not there, in a folder that is, are marked as open in the runs; a
// warning for each is returned. kExitUsage naming the file, the run and the column for a path that
// finds nothing else or several figures, kExitFiles where a run of `chosen` would have no figure at
// all, and what the library says of malformed data.
std::vector<std::string> settle_evaluations(const ExperimentFile& file, Plan& plan,
                                            const std::vector<size_t>& chosen);

// Files and folders that the runs need and that are not there, each once, with the run and key that
// name them.
std::vector<std::string> missing_files(const Plan& plan, const std::vector<size_t>& runs);

}  // namespace contrastive::cli
