// Records the metrics of a run after each update, and writes them to metrics.jsonl in the model's
// folder for `contrastive report`.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace contrastive::cli {

class MetricsRecord {
 public:
  // `resumed` is the folder of the run that is resumed, or "" for a new run. The record of that run
  // is continued, up to the current update of `trainer`.
  MetricsRecord(const std::string& resumed, const cs_trainer* trainer);

  void add(const cs_trainer* trainer);
  // Writes the record into a folder that no save replaces.
  void write(const std::string& folder) const;
  // Runs a `save` that replaces `folder`. The record is written next to the folder first ("out" ->
  // ".out.metrics.jsonl") and moved in after the save. If the process is killed in between, nothing
  // is lost: resuming from `folder` finds the record next to it.
  void write_around(const std::string& folder, const std::function<void()>& save) const;

 private:
  struct Line {
    int64_t step = 0;
    bool measured = false;  // on the dev set
    std::string text;
  };
  void add(const std::string& text, double step, double dev, double best_step);
  void thin();
  std::string text() const;

  std::vector<Line> lines_;
  // Updates between two lines without a measurement: long runs are recorded more coarsely.
  int64_t every_ = 1;
  int64_t unmeasured_ = 0;
  double last_dev_ = 0;
};

}  // namespace contrastive::cli
