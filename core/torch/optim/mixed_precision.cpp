#include "core/torch/optim/mixed_precision.h"

#include <ATen/autocast_mode.h>

#include <algorithm>

namespace contrastive::optim {

Autocast::Autocast(Amp amp, c10::DeviceType device) : active_(amp != Amp::kOff), device_(device) {
  if (!active_) return;
  enabled_before_ = at::autocast::is_autocast_enabled(device_);
  type_before_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, amp == Amp::kBfloat16 ? at::kBFloat16 : at::kHalf);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  // The 16-bit copies of the weights are good for one pass: the next one may have a graph, or other
  // weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, enabled_before_);
  at::autocast::set_autocast_dtype(device_, type_before_);
}

bool GradScaler::shrink() {
  since_overflow_ = 0;
  if (scale_ <= 1) return false;
  scale_ = std::max(1.0, scale_ / 2);
  ++retries_;
  return true;
}

void GradScaler::succeeded() {
  if (!enabled_ || ++since_overflow_ < kGrowthInterval) return;
  since_overflow_ = 0;
  scale_ = std::min(2 * scale_, kLargestScale);
}

Json GradScaler::state() const {
  return {{"scale", scale_}, {"since_overflow", since_overflow_}, {"retries", retries_}};
}

void GradScaler::restore(const Json& state) {
  const JsonObject object(state, "loss_scale");
  scale_ = object.real("scale", 1, kLargestScale);
  since_overflow_ = object.integer("since_overflow", 0, kGrowthInterval);
  retries_ = object.integer("retries", 0, int64_t{1} << 53);
}

}  // namespace contrastive::optim
