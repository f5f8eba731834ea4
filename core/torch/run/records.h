// What a run tells about itself: the metrics that a caller may ask for, and the lines of the
// metrics files.
//
// The run only writes here. Nothing in it depends on a metric: whoever needs a number of the run
// takes it from the piece that has it.
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
  // A value that is measured now and then: it is in the next line of the files, and in no further
  // one.
  void measure(const std::string& name, double value) { metrics_.measure(name, value); }
  void add_work(int64_t samples, int64_t tokens, double seconds) {
    metrics_.add_work(samples, tokens, seconds);
  }
  // An update without a loss: its metrics would be those of the update before.
  void forget_loss();
  // A line of each file. A line that cannot be written does not end the run: the metric
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
