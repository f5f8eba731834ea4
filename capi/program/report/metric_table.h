// Reads the metrics that the trainer wrote, one JSON object per line, into columns over the updates
// of the whole run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capi/program/report/series.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {

struct MetricTable {
  std::vector<double> update;                          // counted over all stages, rising
  std::vector<double> step;                            // counted within the stage, as in the file
  std::vector<int> stage;                              // from 1
  std::map<std::string, std::vector<double>> columns;  // NaN if a line has no number
  int64_t replaced = 0;  // lines of an earlier attempt, which later lines replace
  bool cut = false;      // the last line was incomplete: the run is still writing, or was killed

  bool empty() const { return update.empty(); }
  Series series(const std::string& name) const;  // empty if there is no such column
  double last(const std::string& name) const;    // the last number of a column, or NaN
};

// Throws kExitData with file and line for a line that is not an object with a "step".
MetricTable read_metrics(const std::string& path);

// Figures that are measured only at some updates are in a metrics_file once. The metrics.jsonl of
// this program repeats the last known value on every line. These functions return each measurement
// once, at the update where it was made.
//
// Scores on the dev set ("dev"), or a figure of a task that the run evaluates ("sts.spearman.all").
// The `config` of the run tells when it measures.
Series scores(const MetricTable& table, const std::string& name, const Json& config);
// Measurements of a batch's vectors, in one column, such as "view.uniformity".
Series view_looks(const MetricTable& table, const std::string& name, const Json& config);

// Where each stage after the first begins, with "stage N".
std::vector<std::pair<double, std::string>> stage_starts(const MetricTable& table);

}  // namespace contrastive::cli::report
