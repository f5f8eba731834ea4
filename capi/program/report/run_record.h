// What is known of a run from the folder that `contrastive train` or `contrastive experiment`
// wrote: its config, and the course of its metrics.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/metric_table.h"

namespace contrastive::cli::report {

struct RunRecord {
  std::string path;
  std::string letter;   // "A", "B", ...: what names it in charts
  std::string name;     // the folder's, or its whole path where two share a name
  std::string cell;     // the name without the seed: what the runs of a cell of an experiment share
  std::string method;   // "" for a model that no run is known of
  std::string written;  // date and time of its config, UTC
  Json config = Json::object();  // every key with its value
  MetricTable metrics;
  bool has_model = false;             // an experiment may have kept the metrics alone
  std::string no_config, no_metrics;  // why they are missing; "" where they are there
};

// The runs in these folders, with letters and names: a folder with a model or metrics is a run, any
// other one is looked through for runs in it. kExitFiles where there are none; kExitData for a
// config or metrics that cannot be read, with file and line.
std::vector<RunRecord> read_runs(const std::vector<std::string>& paths);

// A config value as text: strings without quotes.
std::string plain_value(const Json& value);
// A date and time of UTC, "2026-11-21 21:40 UTC"; 0: now.
std::string utc(int64_t seconds);

}  // namespace contrastive::cli::report
