// Writes the records of a run: a JSON line and a table row each time. A value that was not measured
// since the last line is null, or an empty cell.
#pragma once

#include <string>
#include <vector>

#include "core/torch/run/metrics.h"

namespace contrastive::run {

class MetricsFiles {
 public:
  // An empty path means no such file. Every table begins with the columns step, epoch, loss, lr and
  // grad_norm; `columns` follow in a new table. An existing file is appended to. Throws kArgument
  // with its first line, before anything is written, if it has no records of a run. Throws kIo if a
  // file cannot be opened for writing, and kArgument for a FIFO, which could block the run, and for
  // anything else that is neither a file nor a character device.
  MetricsFiles(std::string json_lines, std::string table, std::vector<std::string> columns);

  // A value without a column, such as a loss term of a later stage, gets a new column: the table is
  // rewritten atomically, with empty cells in earlier rows. After kIo or kNoSpace no part of
  // the line was written, and the next call may succeed.
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
