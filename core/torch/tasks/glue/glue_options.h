// The config keys of the task "glue", and the recipes that give their defaults
// (core/torch/tasks/glue/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/base/options.h"
#include "core/torch/tasks/glue/fine_tuner.h"
#include "core/torch/tasks/glue/glue_files.h"

namespace contrastive::eval {

// kFairseq: the values that fairseq publishes for RoBERTa, task by task. kRoberta: the grid of
// RoBERTa's paper. kSgOpt: the tasks, seeds and split of the dev set of SG-OPT's appendix, with
// BERT's hyper-parameters, which the appendix does not state.
enum class GluePreset { kFairseq, kRoberta, kSgOpt };

// Which weights are reported: those of the epoch with the best selection score, or the last ones.
enum class GlueKeep { kBest, kLast };

// MNLI's score: the mean of both dev sets' accuracies (CLEAR's table 1), or the matched one only
// (table 3).
enum class MnliScore { kMean, kMatched };

struct GlueOptions {
  std::string data;
  std::vector<std::string> tasks;
  GluePreset preset = GluePreset::kFairseq;
  GlueSplit split = GlueSplit::kDev;
  double select_part = 0.1;
  MnliScore mnli = MnliScore::kMean;
  GlueKeep keep = GlueKeep::kBest;
  std::vector<int64_t> seeds = {1}, batch_size = {16};
  std::vector<double> lr = {1e-5};
  int64_t grid_seeds = 0;
  int64_t epochs = 10;
  int64_t max_steps = 0;
  int64_t warmup_steps = 0;
  double warmup_ratio = 0.06;
  int64_t max_length = 0;
  FineTuneOptions tuning;

  GlueOptions();
  void visit(OptionVisitor& v);
};

// Reads the keys with the preset's defaults: those that all tasks share, or with a task's own
// values if `task` names one. Keys of the user's config always win. If they change how long a run
// is, epochs and ratios replace the preset's published numbers of updates. kArgument for values out
// of range and keys that exclude each other.
GlueOptions read_glue_options(const Config& config, const std::string& task = "");

// How long a run is, and its warm-up.
struct GluePlan {
  int64_t steps = 0;  // number of updates
  int64_t warmup = 0;
  int64_t total = 0;  // number of updates that the schedule is made for
};
GluePlan plan_glue_run(const GlueOptions& options, int64_t examples, int64_t batch_size);

}  // namespace contrastive::eval
