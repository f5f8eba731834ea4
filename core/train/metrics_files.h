// The records of a run: a JSON line, and a line of a table, for every look at its metrics.
#pragma once

#include <string>
#include <vector>

#include "core/train/metrics.h"

namespace contrastive::train {

class MetricsFiles {
 public:
  // Empty paths: no such file. `columns` are those of a new table, beside the loss terms that the first line has; a table that is there already keeps
  // its own.
  MetricsFiles(std::string json_lines, std::string table, std::vector<std::string> columns)
      : json_lines_(std::move(json_lines)), table_(std::move(table)), columns_(std::move(columns)) {}

  // kIo, kNoSpace.
  void append(const Metrics& metrics);

 private:
  void append_row(const Metrics& metrics);
  void settle_columns(const Metrics& metrics);

  std::string json_lines_, table_;
  std::vector<std::string> columns_;
  bool settled_ = false;
};

}  // namespace contrastive::train
