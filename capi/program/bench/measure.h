// Measures time and peak memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace contrastive::cli {

// The wall-clock seconds of each call, in order.
class Times {
 public:
  template <class Work>
  void measure(const Work& work) {
    const auto begin = Clock::now();
    work();
    seconds_.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }

  int64_t count() const { return static_cast<int64_t>(seconds_.size()); }
  double median() const { return quantile(0.5); }
  double least() const { return quantile(0); }
  double most() const { return quantile(1); }
  // Interpolates linearly between the two nearest sorted times. NaN without times.
  double quantile(double part) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds_;
};

// The peak memory of this process in megabytes since begin_peak_memory(); NaN if the system does
// not report it.
void begin_peak_memory();
double peak_megabytes();

}  // namespace contrastive::cli
