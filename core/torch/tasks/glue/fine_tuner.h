// Fine-tuning, one update at a time: loss, gradients, clipping, the optimiser's step with the
// scheduled rate. glue_run.h decides the order of the examples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/torch/tasks/glue/sequence_classifier.h"
#include "core/torch/optim/optimizer.h"
#include "core/torch/optim/optimizer_options.h"
#include "core/torch/optim/schedule.h"
#include "core/torch/optim/shared_keys.h"

namespace contrastive::eval {

// The settings of a recipe that are the same for every update of a run.
struct FineTuneOptions {
  ClassifierOptions classifier;
  std::string optimizer;
  double weight_decay = 0.1;
  optim::AdamKeys adam;
  bool decay_all = true;  // weight decay applies to biases and LayerNorm weights too
  double clip_norm = 0;   // 0 = no clipping
  optim::Schedule schedule = optim::Schedule::kFairseqLinear;

  FineTuneOptions();
  void visit(OptionVisitor& v);
  optim::OptimizerOptions resolved_optimizer() const;  // kArgument unless there are two betas
};

class FineTuner {
 public:
  // `classifier` must outlive this. `regression`: the only output is a score, trained by mean
  // squared error; otherwise by the mean cross entropy of the logits. `schedule` knows warm-up and
  // total updates. `lr` is the peak rate.
  FineTuner(SequenceClassifier& classifier, bool regression, const FineTuneOptions& options,
            double lr, int64_t warmup, int64_t total);

  // Makes one update on the examples of `batch` and returns the loss before it. `targets` [texts]:
  // classes or scores; `examples` [texts]: their numbers in the data set, which together with
  // `epoch` decide what dropout drops. kNumeric, with the weights unchanged, if the loss or the
  // gradient is not finite.
  double update(const text::TokenBatch& batch, const std::vector<double>& targets,
                const std::vector<uint64_t>& examples, uint64_t epoch);
  int64_t updates() const { return optimizer_->steps(); }
  double next_lr() const;

 private:
  at::Tensor loss(const at::Tensor& outputs, const std::vector<double>& targets) const;

  SequenceClassifier& classifier_;
  bool regression_;
  double clip_norm_, lr_;
  optim::ScheduleOptions schedule_;
  std::vector<optim::Parameter> parameters_;
  std::unique_ptr<optim::Optimizer> optimizer_;
};

}  // namespace contrastive::eval
