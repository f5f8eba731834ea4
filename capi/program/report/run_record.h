// Reads run folders of `contrastive train` and of experiments: the config of a run and its metrics
// over the updates.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/metric_table.h"

namespace contrastive::cli::report {

struct RunRecord {
  std::string path;
  std::string letter;  // "A", "B", ...: names it in charts
  std::string name;    // of the folder, or its whole path if two folders share a name
  std::string cell;  // the name without the seed: the same for all runs of a cell of an experiment
  std::string method;            // "" for a model without a known run
  std::string written;           // date and time of its config, UTC
  Json config = Json::object();  // every key with its value
  MetricTable metrics;
  bool has_model = false;             // an experiment can keep only the metrics
  std::string no_config, no_metrics;  // why they are missing; "" if they are not
};

// The runs in these folders, with letters and names. A folder with a model or metrics is a run; any
// other folder is searched for runs. Throws kExitFiles if no run is found, and kExitData with file
// and line for a config or metrics that cannot be read.
std::vector<RunRecord> read_runs(const std::vector<std::string>& paths);

// A config value as text: strings without quotes.
std::string plain_value(const Json& value);
// A date and time in UTC, "2026-11-21 21:40 UTC"; 0 is now.
std::string utc(int64_t seconds);

}  // namespace contrastive::cli::report
