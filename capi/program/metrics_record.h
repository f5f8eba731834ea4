// Records the metrics of a run after each update and writes them to metrics.jsonl in the folder of
// the model, where `contrastive report` reads them.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace contrastive::cli {

class MetricsRecord {
 public:
  // `resumed`: the folder of a run that goes on, whose record this continues as far as `trainer`
  // has come; "" for a new run.
  MetricsRecord(const std::string& resumed, const cs_trainer* trainer);

  void add(const cs_trainer* trainer);
  // Into a folder that no save replaces.
  void write(const std::string& folder) const;
  // With a save that replaces `folder` whole: the record lies beside it meanwhile ("out" ->
  // ".out.metrics.jsonl"), and is moved in. A process that is killed between the two loses nothing:
  // who resumes from `folder` finds the record beside it.
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
  int64_t every_ = 1;  // updates between two lines, beside those with a measurement: long runs are
                       // recorded more coarsely
  int64_t unmeasured_ = 0;
  double last_dev_ = 0;
};

}  // namespace contrastive::cli
