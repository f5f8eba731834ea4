#include "core/torch/run/metrics.h"

#include <algorithm>
#include <limits>

namespace contrastive::run {

void Metrics::measure(const std::string& name, double value) {
  set(name, value);
  occasional_.insert(name);
  measured_.insert(name);
}

double Metrics::of_record(const std::string& name) const {
  return occasional_.count(name) == 0 || measured_.count(name) > 0
             ? get(name)
             : std::numeric_limits<double>::quiet_NaN();
}

std::map<std::string, double> Metrics::pending() const {
  std::map<std::string, double> values;
  for (const std::string& name : measured_) values[name] = get(name);
  return values;
}

std::map<std::string, double> Metrics::measurements() const {
  std::map<std::string, double> values;
  for (const std::string& name : occasional_) values[name] = get(name);
  return values;
}

double Metrics::get(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
}

std::vector<std::string> Metrics::names() const {
  std::vector<std::string> names;
  for (const auto& entry : values_) names.push_back(entry.first);
  return names;
}

void Metrics::add_work(int64_t samples, int64_t tokens, double seconds) {
  samples_ += samples;
  tokens_ += tokens;
  seconds_ += seconds;
  if (seconds_ < 1 && published_) return;
  set("samples_per_second", static_cast<double>(samples_) / std::max(seconds_, 1e-9));
  set("tokens_per_second", static_cast<double>(tokens_) / std::max(seconds_, 1e-9));
  if (seconds_ < 1) return;
  published_ = true;
  samples_ = tokens_ = 0;
  seconds_ = 0;
}

}  // namespace contrastive::run
