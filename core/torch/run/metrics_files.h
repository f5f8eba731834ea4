// The records of a run: a JSON line, and a line of a table, for every look at its metrics. What was
// not measured since the line before is null, or an empty cell.
#pragma once

#include <string>
#include <vector>

#include "core/torch/run/metrics.h"

namespace contrastive::run {

class MetricsFiles {
 public:
  // Empty paths: no such file. `columns` are those that a new table has beside step, epoch, loss,
  // lr and grad_norm, with which every table begins. A file that is there already is appended to;
  // kArgument with its first line where it holds no records of a run, before anything is written.
  // kIo where a file cannot be opened to be written to; kArgument for a FIFO, which could stop the
  // run, and for whatever else is neither a file nor a character device.
  MetricsFiles(std::string json_lines, std::string table, std::vector<std::string> columns);

  // A value that the table has no column for, such as the loss terms of a run's next stage, gets
  // one: the table is written again, atomically, with empty cells in the lines before. kIo,
  // kNoSpace: nothing was kept of the line, and the next one may succeed.
  void append(const Metrics& metrics);

 private:
  void append_object(const Metrics& metrics);
  void append_row(const Metrics& metrics);
  void read_header();
  void add_columns(const Metrics& metrics);

  std::string json_lines_, table_;
  std::vector<std::string> columns_;
  bool there_ = false;  // the table has its header
};

}  // namespace contrastive::run
