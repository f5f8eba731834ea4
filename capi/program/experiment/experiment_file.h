// An experiment file: what a table of a paper is made of. Read whole and checked here; what the
// keys of the library mean is the library's business. examples/experiments/README.md is its manual.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capi/program/experiment/variables.h"

namespace contrastive::cli {

// One training of a run: from the model that the one before left, or from the start.
struct StepSpec {
  std::string name, train;       // the file of the dataset; "" where settings bring it
  Json config = Json::object();  // flat train keys
};

struct RowSpec {
  std::string name;
  std::string model_of;  // the row whose trained model this one begins with; "" for none
  Json settings = Json::object();
  std::optional<std::vector<StepSpec>>
      steps;  // instead of the experiment's; empty: nothing is trained
  bool in_grid = true;
};

// One key of the grid with its values, each a label and what it sets.
struct Axis {
  std::string key;
  std::vector<std::pair<std::string, Json>> values;
};

struct EvaluationSpec {
  std::string task;  // "training": what the last training measured itself
  Json config = Json::object();
  std::vector<std::pair<std::string, std::string>> figures;  // column, path in the report
  double scale = 1;
};

struct ExperimentFile {
  std::string path, name, about;
  Json model;  // a folder, or null
  Json load = Json::object(), create = Json::object();
  std::vector<StepSpec> steps;
  std::vector<RowSpec> rows;  // at least one; the only one has no name where the file has none
  std::vector<Axis> grid;
  std::vector<int64_t> seeds;
  Json overrides = Json::object();  // of --set: laid over everything else
  std::vector<EvaluationSpec> evaluate;
  std::vector<std::pair<std::string, std::vector<std::string>>>
      averages;  // column, the columns that it averages
  std::vector<std::string> lower,
      matrix;  // columns whose least figure is the best; columns shown as a matrix too
  int digits = 4;
  int64_t save_every = 200;
  bool keep_models = true;
};

struct ExperimentOverrides {
  std::vector<std::string> defines, assignments;
  std::vector<int64_t> seeds;
};

// kExitUsage or kExitData with the file and the key at fault.
ExperimentFile read_experiment(const std::string& path, const ExperimentOverrides& overrides);

// Nested objects as dotted keys: {"clsr": {"temperature": 0.1}} -> {"clsr.temperature": 0.1}.
Json flattened(const Json& object);

}  // namespace contrastive::cli
