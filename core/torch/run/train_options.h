// The trainer's own config keys, and the plan of a run that follows from them: how many updates,
// how long the warm-up, when to evaluate. Everything a user can get wrong in a config is found
// here, before a model or a text is touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/data/mixed_batcher.h"
#include "core/torch/methods/registry.h"
#include "core/torch/optim/mixed_precision.h"
#include "core/torch/optim/optimizer_options.h"
#include "core/torch/optim/schedule.h"
#include "core/torch/run/card_options.h"
#include "core/torch/run/early_stopping.h"

namespace contrastive::run {

enum class LastBatch { kKeep, kDrop };
enum class OnNan { kStop, kSkip };
// What an example is compared with when an update has several parts: those of its own part, or of
// the whole update.
enum class Negatives { kMicro, kGlobal };
enum class DevTask { kAuto, kSts, kPairs, kRerank };

struct TrainOptions {
  static constexpr const char* kDevFile = "dev";  // dev_select: the dev file's own measure

  std::string method;
  int64_t seed = 1;
  int64_t batch_size = 64;
  int64_t accumulate = 1;
  Negatives negatives = Negatives::kMicro;
  optim::Amp amp = optim::Amp::kOff;
  bool gradient_checkpointing = false;
  int64_t data_threads = 1;
  int64_t epochs = 1;
  int64_t max_steps = 0;
  LastBatch last_batch = LastBatch::kKeep;
  int64_t few_shot = 0;
  bool upsample = false;
  double lr = 2e-5;
  optim::OptimizerOptions optimizer;
  optim::Schedule schedule = optim::Schedule::kWarmupLinear;
  int64_t warmup_steps = 0;
  double warmup_ratio = 0;
  int64_t warmup_epochs = 0;
  double lr_decay = 0;
  double clip_norm = 0;
  OnNan on_nan = OnNan::kStop;
  std::string dev;
  DevTask dev_task = DevTask::kAuto;
  int64_t eval_every = 0;
  int64_t eval_every_epochs = 0;
  bool eval_each_epoch = false;
  bool eval_at_start = false;
  int64_t patience = 0;
  StopRule early_stop = StopRule::kBest;
  int64_t evaluate_every = 0;
  std::string dev_select = kDevFile;
  std::string cache;
  std::string metrics_file;
  std::string metrics_csv;
  int64_t metrics_every = 1;
  int64_t watch_every = 100;
  std::string checkpoints;
  int64_t save_every = 0;
  int64_t keep = 3;
  CardOptions card;
  bool duplicates_apart = false;  // data.duplicates, which has its row among the reader's keys
  data::Mixing sampling = data::Mixing::kProportional;
  std::vector<TrainOptions> further = {};  // no key: of the run's tasks behind the first (tasks.h)

  const TrainOptions& task(size_t number) const {
    return number == 0 ? *this : further.at(number - 1);
  }
  size_t tasks() const { return 1 + further.size(); }

  void visit(OptionVisitor& v);
};

// A config that has been read whole.
struct RunConfig {
  TrainOptions options;
  methods::MethodTraits traits;
  const methods::MethodEntry* method = nullptr;
  Config user;  // as given, less what is the default anyway
  // Every key with its value, the method's and the reader's included, but for alternatives that are
  // not in force: what is written beside a model, and reads as the same run.
  Config complete;
  // A run on several datasets is its first task, and these (tasks.h).
  std::vector<RunConfig> further = {};
  double weight = 1;         // of the task's loss
  std::string dataset = {};  // a further task's file

  const RunConfig& task(size_t number) const {
    return number == 0 ? *this : further.at(number - 1);
  }
  size_t tasks() const { return 1 + further.size(); }
};

// Validates every key and how they go together; kArgument names the key. `has_data`: false when the
// caller brings every batch.
RunConfig read_run_config(const Config& config, bool has_data,
                          const encoder::Architecture* shape = nullptr);

// The same of a run without tasks behind the first.
RunConfig read_single_config(const Config& config, bool has_data,
                             const encoder::Architecture* shape = nullptr);

// Where and in which numbers the model computes, as its load keys say or as it was loaded:
// kArgument naming the key where the run cannot have it.
void check_device(const RunConfig& config, bool on_cpu);
void check_precision(const RunConfig& config, const std::string& precision);

struct RunPlan {
  int64_t steps_per_epoch = 0;  // updates; 0 when the caller brings every batch
  int64_t total_steps = 0;      // updates; 0 = as many as the caller makes
  int64_t eval_every = 0;       // updates; 0 = at the end only
  // Updates of an epoch. After each epoch an evaluation is due and eval_every counts from 0; 0 =
  // never.
  int64_t eval_epoch = 0;
  int64_t usual_warmup = 0;  // the method's, where the run is too short for it and schedule.warmup
                             // is a tenth of the run
  optim::ScheduleOptions schedule;

  bool evaluation_due(int64_t step) const;  // after `step` updates; the end of the run, at which
                                            // one is due too, is not known here
};

// `batches_per_epoch` 0: the caller brings every batch. With negatives = global a batch is what all
// parts of an update hold together. kArgument, naming the key, for a warm-up longer than the run.
RunPlan plan_run(const RunConfig& config, int64_t batches_per_epoch);

}  // namespace contrastive::run
