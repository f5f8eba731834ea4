// The metrics of a run as the trainer wrote them, a JSON object a line, put in order: columns over
// the updates of the whole run.
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
  std::map<std::string, std::vector<double>> columns;  // NaN where a line has no number
  int64_t replaced = 0;  // lines of an earlier attempt, which later lines begin again
  bool cut = false;      // the last line was not whole: the run goes on, or was killed

  bool empty() const { return update.empty(); }
  Series series(const std::string& name) const;  // empty where there is no such column
  double last(const std::string& name) const;    // the last number of a column; NaN
};

// kExitData with file and line for a line that is no object with a "step".
MetricTable read_metrics(const std::string& path);

// Figures that are measured now and then stand in a metrics_file once, and are repeated by the
// metrics.jsonl of this program, which holds what the trainer last knew. These take each once,
// where it was measured.
//
// Scores on the dev set ("dev"), or a figure of a task that the run evaluates ("sts.spearman.all").
// `config`: of the run, for when it measures.
Series scores(const MetricTable& table, const std::string& name, const Json& config);
// The looks at a batch's vectors: of one column, such as "view.uniformity".
Series view_looks(const MetricTable& table, const std::string& name, const Json& config);

// Where the stages after the first begin, with "stage N".
std::vector<std::pair<double, std::string>> stage_starts(const MetricTable& table);

}  // namespace contrastive::cli::report
