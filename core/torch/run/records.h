// The output of a run: the metrics that a caller can read, and the lines of the metrics files.
//
// The run only writes here and does not depend on metrics. Code that needs a number of the run must
// read it from the object that owns it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/run/metrics.h"
#include "core/torch/run/metrics_files.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

class Records {
 public:
  explicit Records(MetricsFiles files) : files_(std::move(files)) {}

  // A value that every update has.
  void set(const std::string& name, double value) { metrics_.set(name, value); }
  // A value that is measured only sometimes: it is in the next line of the files only.
  void measure(const std::string& name, double value) { metrics_.measure(name, value); }
  void add_work(int64_t samples, int64_t tokens, double seconds) {
    metrics_.add_work(samples, tokens, seconds);
  }
  // For an update without a loss, whose metrics would be those of the update before.
  void forget_loss();
  // Writes a line to each file. A line that cannot be written does not end the run: the metric
  // "failed_lines" counts it.
  void write(int64_t step);

  // For the caller of the run, and for no part of it.
  double value(const std::string& name) const { return metrics_.get(name); }  // NaN: unknown
  std::vector<std::string> names() const { return metrics_.names(); }

  void save(TrainingState& state) const;
  void restore(const TrainingState& state);

 private:
  Metrics metrics_;
  MetricsFiles files_;
  int64_t failed_lines_ = 0;
};

}  // namespace contrastive::run
