#include "core/train/metrics.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "core/base/error.h"
#include "core/base/json.h"

namespace contrastive::train {

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

void Metrics::append_to(const std::string& path) const {
  Json line = Json::object();
  for (const auto& [name, value] : values_) {
    const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
    line[name] = !std::isfinite(value) ? Json() : whole ? Json(static_cast<int64_t>(value)) : Json(value);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ae"), &std::fclose);
  check(file != nullptr, Status::kIo, path, ": the metrics file cannot be opened: ", std::strerror(errno));
  const std::string text = dump_ascii(line) + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  check(written, errno == ENOSPC ? Status::kNoSpace : Status::kIo, path, ": the metrics file cannot be written: ", std::strerror(errno));
}

}  // namespace contrastive::train
