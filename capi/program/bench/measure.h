// Times and memory: what a measurement is made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace contrastive::cli {

// Wall-clock seconds of every call, in order.
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
  // Linear between the two nearest of the sorted times; NaN without any.
  double quantile(double part) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds_;
};

// Megabytes of memory that this process has had at most since begin_peak_memory(); NaN where the
// system does not say.
void begin_peak_memory();
double peak_megabytes();

}  // namespace contrastive::cli
