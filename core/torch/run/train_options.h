// The trainer's own config keys, and the plan of a run that follows from them: number of updates,
// length of the warm-up, times of evaluations. All errors in a config are found here, before a
// model or a text is read.
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
// The negatives of an example if an update has several parts: those of its own part, or of the
// whole update.
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
  int64_t threads = 0;
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
  bool duplicates_apart = false;  // data.duplicates, which is described with the reader's keys
  data::Mixing sampling = data::Mixing::kProportional;
  std::vector<TrainOptions> further = {};  // not a key: the options of the run's later
                                           // tasks (tasks.h)

  const TrainOptions& task(size_t number) const {
    return number == 0 ? *this : further.at(number - 1);
  }
  size_t tasks() const { return 1 + further.size(); }

  void visit(OptionVisitor& v);
};

// A complete parsed config.
struct RunConfig {
  TrainOptions options;
  methods::MethodTraits traits;
  const methods::MethodEntry* method = nullptr;
  Config user;  // as given, without entries that equal the default
  // Every key with its value, including the method's and the reader's, except alternatives that are
  // not in force. This is written next to a model, and gives the same run when it is read.
  Config complete;
  // The tasks after the first, in a run on several datasets (tasks.h).
  std::vector<RunConfig> further = {};
  double weight = 1;         // of the task's loss
  std::string dataset = {};  // a further task's file

  const RunConfig& task(size_t number) const {
    return number == 0 ? *this : further.at(number - 1);
  }
  size_t tasks() const { return 1 + further.size(); }
};

// Validates every key and their combinations. Throws kArgument, naming the key. `has_data` is false
// if the caller provides every batch.
RunConfig read_run_config(const Config& config, bool has_data,
                          const encoder::Architecture* shape = nullptr);

// The same for a run without further tasks.
RunConfig read_single_config(const Config& config, bool has_data,
                             const encoder::Architecture* shape = nullptr);

// Throw kArgument, naming the key, if the run does not support the device or the precision of the
// model. Both come from its load keys or from the loaded model.
void check_device(const RunConfig& config, bool on_cpu);
void check_precision(const RunConfig& config, const std::string& precision);

struct RunPlan {
  int64_t steps_per_epoch = 0;  // updates; 0 if the caller brings every batch
  int64_t total_steps = 0;      // updates; 0 = as many as the caller makes
  int64_t eval_every = 0;       // updates; 0 = at the end only
  // Updates of an epoch. After each epoch an evaluation is due and eval_every counts from 0; 0 =
  // never.
  int64_t eval_epoch = 0;
  int64_t usual_warmup = 0;  // the method's warm-up, if the run is too short for it and
                             // schedule.warmup is a tenth of the run
  optim::ScheduleOptions schedule;

  bool evaluation_due(int64_t step) const;  // after `step` updates; does not include the evaluation
                                            // at the end of the run, which is not known here
};

// `batches_per_epoch` 0: the caller brings every batch. With negatives = global a batch is all
// parts of an update together. kArgument, naming the key, for a warm-up longer than the run.
RunPlan plan_run(const RunConfig& config, int64_t batches_per_epoch);

}  // namespace contrastive::run
