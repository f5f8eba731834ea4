#include "capi/program/bench/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

namespace contrastive::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

double status_megabytes(const char* key) {
  const File file(std::fopen("/proc/self/status", "re"), std::fclose);
  char line[256];
  while (file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0)
      return static_cast<double>(std::atoll(line + std::strlen(key))) / 1024;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double Times::quantile(double part) const {
  if (seconds_.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void begin_peak_memory() {
  if (const File file(std::fopen("/proc/self/clear_refs", "we"), std::fclose); file != nullptr)
    std::fputs("5", file.get());
}
double peak_megabytes() { return status_megabytes("VmHWM:"); }

}  // namespace contrastive::cli
