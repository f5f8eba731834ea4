#include "core/torch/run/early_stopping.h"

#include <cmath>

namespace contrastive::run {
namespace {

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

bool EarlyStopping::offer(double score, int64_t step) {
  last_ = score;
  if (std::isnan(score)) {
    ++strikes_;
    return false;
  }
  const bool better = !(score <= best_);  // everything is better than the NaN of the beginning
  if (rule_ == StopRule::kBest) {
    strikes_ = better ? 0 : strikes_ + 1;
  } else if (score < previous_) {
    ++strikes_;
  }
  previous_ = score;
  if (better) {
    best_ = score;
    best_step_ = step;
  }
  return better;
}

Json EarlyStopping::state() const {
  return {{"best", number_or_null(best_)},
          {"last", number_or_null(last_)},
          {"previous", number_or_null(previous_)},
          {"best_step", best_step_},
          {"strikes", strikes_}};
}

void EarlyStopping::restore(const Json& state) {
  const JsonObject object(state, "early_stopping");
  constexpr double kLargest = std::numeric_limits<double>::max();
  const double none = std::numeric_limits<double>::quiet_NaN();
  best_ = object.real("best", -kLargest, kLargest, none);
  last_ = object.real("last", -kLargest, kLargest, none);
  previous_ = object.real("previous", -kLargest, kLargest, none);
  best_step_ = object.integer("best_step", -1, int64_t{1} << 53);
  strikes_ = object.integer("strikes", 0, int64_t{1} << 53);
}

}  // namespace contrastive::run
