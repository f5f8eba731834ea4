#include "core/torch/optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace contrastive::optim {
namespace {

double shape(const ScheduleOptions& options, int64_t update) {
  const double u = static_cast<double>(update), w = static_cast<double>(options.warmup),
               total = static_cast<double>(options.total);
  const double progress =
      total > w ? std::min(1.0, (u - w) / (total - w)) : 1.0;  // after the warm-up, from 0 to 1
  switch (options.kind) {
    case Schedule::kConstant: return u < w ? u / w : 1;
    case Schedule::kWarmupLinear: return u < w ? u / w : 1 - progress;
    case Schedule::kWarmupCosine:
      return u < w ? u / w : 0.5 * (1 + std::cos(3.141592653589793 * progress));
    case Schedule::kFairseqLinear: return u <= w && w > 0 ? std::max(u, 1.0) / w : 1 - progress;
  }
  fail(Status::kInternal, "unknown schedule ", static_cast<int>(options.kind));
}

}  // namespace

double schedule_factor(const ScheduleOptions& options, int64_t update) {
  return shape(options, update) / (1 + options.decay * static_cast<double>(update));
}

}  // namespace contrastive::optim
