// Learning-rate schedules: a factor of the peak rate for each update
// (core/torch/optim/README.md 3). Pure functions.
#pragma once

#include <cstdint>

namespace contrastive::optim {

enum class Schedule { kConstant, kWarmupLinear, kWarmupCosine, kFairseqLinear };

struct ScheduleOptions {
  Schedule kind = Schedule::kConstant;
  int64_t warmup = 0;  // updates
  int64_t total = 0;   // updates; unused by kConstant
  double decay = 0;    // the factor is further divided by 1 + decay * update
};

// `update` counts from 0 and is the update about to be made. The first update of a warm-up has
// factor 0, except with kFairseqLinear, where it has 1 / warmup.
double schedule_factor(const ScheduleOptions& options, int64_t update);

}  // namespace contrastive::optim
