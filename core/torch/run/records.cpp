#include "core/torch/run/records.h"

#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <map>

#include "core/base/affixes.h"
#include "core/base/log.h"

namespace contrastive::run {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Json to_json(const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = std::isfinite(value) ? Json(value) : Json();
  return json;
}

// The figures of the collapse watch, which hold until it measures again. The selection restores the
// scores that still belong to the run.
std::map<std::string, double> of_views(std::map<std::string, double> values) {
  for (auto it = values.begin(); it != values.end();) {
    const bool kept = begins_with(it->first, "view.") || it->first == "collapsed";
    it = kept ? std::next(it) : values.erase(it);
  }
  return values;
}

void measure_all(Metrics& metrics, const Json& values) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const JsonObject numbers(values, "training state: metrics");
  for (const auto& item : values.items())
    metrics.measure(item.key(), numbers.real(item.key().c_str(), -kLargest, kLargest, kUnknown));
}

}  // namespace

void Records::forget_loss() {
  for (const std::string& name : metrics_.names()) {
    if (name == "loss" || name == "grad_norm" || name == "tokens" || begins_with(name, "loss."))
      metrics_.set(name, kUnknown);
  }
}

void Records::write(int64_t step) {
  try {
    files_.append(metrics_);
  } catch (const std::exception& error) {
    metrics_.set("failed_lines", static_cast<double>(++failed_lines_));
    if (failed_lines_ == 1)
      log_warning("the metrics of update ", step,
                  " were not written, and the run continues (metric failed_lines counts): ",
                  error.what());
  }
  metrics_.recorded();
}

void Records::save(TrainingState& state) const {
  state.fields["unrecorded"] = to_json(metrics_.pending());
  state.fields["views"] = to_json(of_views(metrics_.measurements()));
}

void Records::restore(const TrainingState& state) {
  const JsonObject fields = state.read();
  if (fields.has("views")) measure_all(metrics_, fields.at("views"));
  metrics_.recorded();  // everything before the pause, except what no line has yet
  if (fields.has("unrecorded")) measure_all(metrics_, fields.at("unrecorded"));
}

}  // namespace contrastive::run
