// Measures the model of a run on its dev file and on the tasks of the keys "evaluate.*". It has no
// state and does not change weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/torch/methods/method.h"
#include "core/torch/run/dev_set.h"
#include "core/torch/run/rank_group.h"
#include "core/torch/run/scores.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// The name of the figure of a dev file with truncated vectors: "dev.128".
std::string dev_figure(int64_t dimension);
bool is_dev_figure(const std::string& figure);  // of whole vectors too
// The dimensions below the model's own at which the dev file is scored too.
std::vector<int64_t> cut_dimensions(const RunConfig& config, methods::Method& method);

class Evaluation {
 public:
  // `dev`: null without a dev file. `config` must stay while this object lives.
  Evaluation(std::unique_ptr<DevSet> dev, const RunConfig& config)
      : config_(config), dev_(std::move(dev)), tasks_(config.user) {}

  bool on_dev() const { return dev_ != nullptr; }
  bool on_tasks() const { return !tasks_.empty(); }
  // kArgument if a model like `start` cannot embed with the keys of a task.
  void check_model(const model::SentenceEncoder& start) const { tasks_.check_model(start); }

  // The figures of the model that save() would write now, after update `step`: first of the tasks,
  // then of the dev file. NaN if a figure is not defined.
  Figures run(methods::Method& method, bool dev, bool tasks, int64_t step,
              const Cancel* cancel) const;
  // A figure with its measure and its file.
  Score score(const std::string& figure, double value) const;

 private:
  void add_dev_figures(Figures& figures, methods::Method& method, int64_t step,
                       const Cancel* cancel) const;
  double dev_score(const DevSubject& subject, int64_t step, const Cancel* cancel) const;

  const RunConfig& config_;
  std::unique_ptr<DevSet> dev_;
  TaskEvaluations tasks_;
};

}  // namespace contrastive::run
