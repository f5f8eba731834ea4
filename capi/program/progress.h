// A progress line on stderr: amount done, speed, remaining time. On a terminal one line is updated;
// otherwise a new line is printed every half minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace contrastive::cli {

class Progress {
 public:
  // `noun` is in the plural ("texts", "steps"). If not `enabled`, nothing is printed.
  Progress(std::string verb, std::string noun, bool enabled);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction` of the work is in [0, 1], or below 0 if the total is unknown. `detail` is printed at
  // the end ("loss 0.1234").
  void update(int64_t done, double fraction, const std::string& detail = "");
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(int64_t done, double fraction, const std::string& detail) const;

  std::string verb_, noun_;
  bool enabled_, terminal_;
  bool drawn_ = false;
  Clock::time_point start_, next_;
};

}  // namespace contrastive::cli
